/** A longer line is printed in parts: an agent may write one of any length. */
const LONGEST = 65_536

/** Bytes in, lines out. Invalid UTF-8 is replaced. LF only: other breaks are legal inside a JSON string. */
export function linesInto(take: (line: string) => void): { feed(bytes: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder()
  let rest = ''
  const feed = (text: string): void => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
    for (; rest.length > LONGEST; rest = rest.slice(LONGEST)) take(rest.slice(0, LONGEST))
  }
  return {
    feed: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => {
      feed(decoder.decode())
      if (rest !== '') take(rest)
      rest = ''
    },
  }
}
