/** At most so many bytes, as bd counts; what was cut ends in `...`, and no character is cut in half. */
export function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let kept = ''
  let size = 0
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > bytes - 3) break
    kept += character
  }
  return `${kept}...`
}

interface Caps {
  /** 0: no cap. */
  readonly most: number
  readonly bytes: number
}

/**
 * The memories that `prime` prints, whole ones only and at least one, and a line about those that the caps leave out. Bytes
 * are those of the entries.
 */
export function memorySection(memories: ReadonlyMap<string, string>, { most, bytes }: Caps): string {
  const entries: string[] = []
  let size = 0
  for (const [key, value] of memories) {
    const entry = `### ${key}\n${value}\n`
    const full = (most > 0 && entries.length >= most) || (bytes > 0 && size + Buffer.byteLength(entry) > bytes)
    if (full && entries.length > 0) break
    entries.push(entry)
    size += Buffer.byteLength(entry)
  }
  const left = memories.size - entries.length
  return [
    `## Memories (${left === 0 ? memories.size : `${entries.length} of ${memories.size}, by key`})\n`,
    'Kept by `fleet bd remember "<insight>"`; `fleet bd memories <word>` finds them, `fleet bd forget <key>` removes one.',
    ...(left === 0 ? [] : [`${left} more are not shown here: \`fleet bd memories\` lists them all.`]),
    '',
    ...entries,
  ]
    .join('\n')
    .trimEnd()
}
