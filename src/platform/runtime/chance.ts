/**
 * For names that only have to be unlikely: ids that are looked up first, files that are made only if they are new, the
 * letters of one task. Nothing secret; what is fit for secrets costs a command 8 ms to load.
 */
export function chanceBytes(count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => Math.random() * 256)
}

export function chanceHex(bytes: number): string {
  return Buffer.from(chanceBytes(bytes)).toString('hex')
}
