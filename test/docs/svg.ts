/** A picture of what a terminal shows: text with the colours that fleet uses, as SVG. */
export function terminalSvg(output: string, { columns, title }: { columns: number; title: string }): string {
  const lines = output.replaceAll('\r', '').trimEnd().split('\n')
  const [width, height] = [columns * CELL.width + 2 * MARGIN, lines.length * CELL.height + 2 * MARGIN]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" width="${round(width)}" height="${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="6" fill="#16181d"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#d5d8de" xml:space="preserve">`,
    ...lines.map((line, row) => textLine(line, MARGIN + row * CELL.height + 14)),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

const CELL = { width: 7.83, height: 18 }
const MARGIN = 14

/** By the code of the escape sequence. */
const STYLES: Readonly<Record<string, string>> = {
  '1': ' font-weight="bold" fill="#ffffff"',
  '2': ' fill="#8b909c"',
  '31': ' fill="#f2777a"',
  '32': ' fill="#99cc99"',
  '33': ' fill="#ffcc66"',
}

/** Each piece has its own place, so that columns stand one below the other in any font. */
function textLine(line: string, y: number): string {
  const spans: string[] = []
  let column = 0
  let style = ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of fleet
  for (const [, code, text = ''] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (code !== undefined) style = STYLES[code] ?? ''
    else {
      for (const word of text.matchAll(/\S+(?: \S+)*/g)) {
        const x = round(MARGIN + (column + word.index) * CELL.width)
        spans.push(`<tspan x="${x}"${style}>${escaped(word[0])}</tspan>`)
      }
      column += text.length
    }
  }
  return `<text y="${y}">${spans.join('')}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
