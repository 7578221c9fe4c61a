import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import type { Letter } from './inbox.ts'

/**
 * Letters are signed, so that an agent can speak for its own run only. The secret half of the key is in the environment of
 * the run and nowhere else; the ledger has the public half, with which nothing can be signed. A secret inside the letters
 * would be told to everyone who can read one.
 */
interface LetterKey {
  /** For the run's environment. Its form is one that `redact` knows. */
  readonly secret: string
  /** For the ledger. */
  readonly check: string
}

/** An Ed25519 key: `d` is its secret half, `x` its public one (RFC 8037). */
export interface KeyPair {
  readonly d: string
  readonly x: string
}

/** The key with this secret half of 32 bytes. */
export function keyPairFrom(seed: Buffer): KeyPair {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_OF_ED25519, seed]), format: 'der', type: 'pkcs8' })
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  return { d, x }
}

/** All of the key's DER before the seed (RFC 8410). */
const PKCS8_OF_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function letterKey({ d, x }: KeyPair): LetterKey {
  return { secret: `fleet-key-${d}${x}`, check: x }
}

/** The secret half and the public half, 32 bytes each. */
const HALVES = /^fleet-key-([\w-]{43})([\w-]{43})$/

/** The text of a letter's file. Without a secret it is not signed: the run was started by an older fleet. */
export function letterText(letter: Letter, secret: string | undefined): string {
  const [, d, x] = HALVES.exec(secret ?? '') ?? []
  return d === undefined || x === undefined ? `${JSON.stringify(letter)}\n` : signedText(letter, { d, x })
}

/** The text of a file whose last field proves who wrote it. */
export function signedText(value: object, { d, x }: KeyPair): string {
  // With both halves Node has the key in half the time that it takes to work out the other from one.
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
  const proof = sign(null, Buffer.from(JSON.stringify(value)), key).toString('base64url')
  return `${JSON.stringify({ ...value, proof })}\n`
}

/** Whether the text of a file was signed with the secret half of this key. Takes any text. */
export function isSigned(text: string, check: string): boolean {
  try {
    const { proof, ...letter } = JSON.parse(text)
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: check }, format: 'jwk' })
    return verify(null, Buffer.from(JSON.stringify(letter)), key, Buffer.from(proof, 'base64url'))
  } catch {
    return false
  }
}
