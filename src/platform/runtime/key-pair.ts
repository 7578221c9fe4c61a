import { generateKeyPairSync } from 'node:crypto'
import type { KeyPair } from '../../domain/agent/letter-proof.ts'

/** A new Ed25519 key. Every run gets one, and reading it from random bytes would take fifteen times as long. */
export function newKeyPair(): KeyPair {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { d, x }
}
