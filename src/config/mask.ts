import { looksSecret } from '../domain/environment.ts'
import { withoutPasswords } from '../domain/postgres-url.ts'

const MASK = '***'

/** The text of a TOML file with its secrets masked: passwords in URLs, and the values of variables named like secrets. */
export function maskedText(text: string): string {
  const assignment = /([A-Za-z0-9_-]+)(["']?\s*=\s*)("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g
  return withoutPasswords(
    text.replace(assignment, (whole, name: string, equals: string) =>
      looksSecret(name) ? `${name}${equals}"${MASK}"` : whole,
    ),
  )
}

/** The same for one value of a read configuration. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return withoutPasswords(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, looksSecret(name) ? MASK : masked(each)]),
  )
}
