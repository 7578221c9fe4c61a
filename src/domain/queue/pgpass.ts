export interface PasswordWanted {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** Finds the password for a server in a `.pgpass` file: the first matching line, as libpq reads it. */
export function passwordIn(text: string, wanted: PasswordWanted): string | undefined {
  const values = [wanted.host, String(wanted.port), wanted.database, wanted.user]
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue
    const fields = fieldsOf(line)
    if (fields.length === 5 && values.every((value, i) => fields[i] === '*' || fields[i] === value)) return fields[4]
  }
  return undefined
}

const BACKSLASH = '\\'

/** Colons separate fields, a backslash escapes the next character; everything after the fourth colon is the password. */
function fieldsOf(line: string): string[] {
  const fields = ['']
  for (let i = 0; i < line.length; i++) {
    const character = line[i] as string
    if (character === ':' && fields.length < 5) fields.push('')
    else fields.push(`${fields.pop()}${character === BACKSLASH && i + 1 < line.length ? line[++i] : character}`)
  }
  return fields
}
