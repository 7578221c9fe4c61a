/** fleet's own signs, each with one ASCII character in its place, so that tables stay aligned. */
const SIGNS: Readonly<Record<string, string>> = {
  '…': '~',
  '→': '>',
  '▶': '>',
  '✓': '+',
  '■': '#',
  '·': '-',
  '–': '-',
  '—': '-',
  '─': '-',
  '│': '|',
  '├': '|',
  '└': '`',
  '┌': '-',
}

const ANY = new RegExp(`[${Object.keys(SIGNS).join('')}]`, 'g')

/** For a terminal that cannot show fleet's own signs. All other text stays as it is. */
export function withAsciiSigns(text: string): string {
  return text.replace(ANY, (sign) => SIGNS[sign] ?? sign)
}

/** Whether the locale names another character set than UTF-8. C and POSIX mean ASCII; no locale, or none named: no. */
export function namesOtherCharset(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((each) => each !== undefined && each !== '') ?? ''
  if (locale === 'C' || locale === 'POSIX') return true
  const charset = /\.([^@]+)/.exec(locale)?.[1]
  return charset !== undefined && !/^utf-?8$/i.test(charset)
}
