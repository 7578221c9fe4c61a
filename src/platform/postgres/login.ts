import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { type PasswordWanted, passwordIn } from '../../domain/queue/pgpass.ts'
import { AppError } from '../../errors.ts'

/** Credentials and TLS settings as libpq's users give them: environment variables, files, URL parameters. */

/** From PGPASSFILE or ~/.pgpass. Like libpq, ignores a file that others can read. */
export function passwordFromFile(wanted: PasswordWanted): string | undefined {
  const path = process.env['PGPASSFILE'] ?? join(homedir(), '.pgpass')
  try {
    const { mode } = statSync(path)
    if ((mode & 0o077) !== 0) return undefined
    return passwordIn(readFileSync(path, 'utf8'), {
      ...wanted,
      // A socket is on this machine.
      host: wanted.host.startsWith('/') ? 'localhost' : wanted.host,
    })
  } catch {
    return undefined
  }
}

export interface Tls {
  /** false: the connection is not encrypted. */
  readonly ssl: false | ConnectionOptions
  /** Connect without TLS if the server does not support it. */
  readonly optional: boolean
}

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** sslmode of the URL, else PGSSLMODE, else libpq's default: encrypted if the server supports it. */
export function tlsFor(given: Readonly<Record<string, string>>, host: string): Tls {
  const setting = (name: string) => given[name] ?? process.env[`PG${name.toUpperCase()}`]
  const mode = setting('sslmode') ?? 'prefer'
  if (!MODES.includes(mode)) {
    throw new AppError('config', `sslmode is ${JSON.stringify(mode)}, expected one of ${MODES.join(', ')}`)
  }
  if (mode === 'disable' || mode === 'allow' || host.startsWith('/')) return { ssl: false, optional: false }
  const root = setting('sslrootcert')
  const ca = root === 'system' ? undefined : (fileOf(root) ?? defaultFile('root.crt'))
  const cert = fileOf(setting('sslcert')) ?? defaultFile('postgresql.crt')
  const key = fileOf(setting('sslkey')) ?? defaultFile('postgresql.key')
  const verifies = mode === 'verify-full' || mode === 'verify-ca' || (mode === 'require' && ca !== undefined)
  return {
    ssl: {
      rejectUnauthorized: verifies,
      ...(verifies && mode !== 'verify-full' ? { checkServerIdentity: () => undefined } : {}),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    },
    optional: mode === 'prefer',
  }
}

function fileOf(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new AppError('config', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

function defaultFile(name: string): string | undefined {
  try {
    return readFileSync(join(homedir(), '.postgresql', name), 'utf8')
  } catch {
    return undefined
  }
}
