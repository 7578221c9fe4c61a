/**
 * Random bytes for names that only have to be unlikely: ids that are checked before use, files that are created only if
 * they are new. Not for secrets: `node:crypto` costs a command 8 ms to load.
 */
export function chanceBytes(count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => Math.random() * 256)
}

export function chanceHex(bytes: number): string {
  return Buffer.from(chanceBytes(bytes)).toString('hex')
}
