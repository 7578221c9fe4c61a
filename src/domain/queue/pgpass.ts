export interface PasswordWanted {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** The password for a server in the text of a `.pgpass`: the first line that fits, as libpq reads it. */
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

/** Fields are parted by colons; a backslash takes the next character as it is. What stands after the fourth is the password. */
function fieldsOf(line: string): string[] {
  const fields = ['']
  for (let i = 0; i < line.length; i++) {
    const character = line[i] as string
    if (character === ':' && fields.length < 5) fields.push('')
    else fields.push(`${fields.pop()}${character === BACKSLASH && i + 1 < line.length ? line[++i] : character}`)
  }
  return fields
}
