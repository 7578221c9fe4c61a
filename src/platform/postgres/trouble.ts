import { AppError } from '../../errors.ts'
import { StoreError, type StoreTrouble } from '../sqlite/store-error.ts'

/** What every error of the server and of the wire has; the password is in none of them. */
interface DriverError extends Error {
  /** SQLSTATE, or the system's name for what is wrong with the wire. */
  code?: string
}

interface Explanation {
  readonly trouble: StoreTrouble
  readonly what: (detail: string) => string
  readonly hint: string
}

const UNDONE = 'nothing was changed; run it again'
const UNREACHABLE: Explanation = {
  trouble: 'unreachable',
  what: (detail) => `cannot be reached: ${detail}`,
  hint: 'check that the server runs and that this machine may reach it',
}
const REFUSED: Explanation = {
  trouble: 'refused',
  what: (detail) => `does not let this user in: ${detail}`,
  hint: 'give the password in PGPASSWORD or ~/.pgpass, and check the user and pg_hba.conf',
}
const LOCKED: Explanation = { trouble: 'locked', what: (detail) => `is busy: ${detail}`, hint: UNDONE }

/** By SQLSTATE, a whole one before its class (its first two characters). */
const BY_STATE: Readonly<Record<string, Explanation>> = {
  '08': UNREACHABLE,
  '28': REFUSED,
  '3D': { trouble: 'cannot-open', what: (detail) => `is not there: ${detail}`, hint: 'make it with createdb' },
  '40': LOCKED,
  '53': { trouble: 'locked', what: (detail) => `has no room: ${detail}`, hint: UNDONE },
  '53100': {
    trouble: 'full',
    what: () => 'could not be written: the disk of the server is full',
    hint: 'nothing was changed; free some space and run it again',
  },
  '55P03': LOCKED,
  '57': UNREACHABLE,
  '57014': LOCKED,
  '58': {
    trouble: 'input-output',
    what: (detail) => `input/output error: ${detail}`,
    hint: 'nothing was changed; check the disk of the server',
  },
  '25006': {
    trouble: 'read-only',
    what: () => 'cannot be written: the server only reads, as a standby does',
    hint: 'nothing was changed; name the primary server',
  },
  '42501': {
    trouble: 'read-only',
    what: (detail) => `forbids it: ${detail}`,
    hint: 'nothing was changed; this user needs the rights of the owner of the tables',
  },
  XX001: { trouble: 'damaged', what: (detail) => `is damaged: ${detail}`, hint: 'restore it from a backup' },
  XX002: { trouble: 'damaged', what: (detail) => `is damaged: ${detail}`, hint: 'restore it from a backup' },
}

const SYSTEM =
  /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|ENOENT|EACCES|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/
/** The driver's own words for a wire that is gone; they come without a code. */
const GONE =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|The server does not support SSL|Cannot use a pool after)/
const NO_PASSWORD = /client password must be a|no password supplied/

/** A driver error becomes what a person can act on; anything else goes on as it is. */
export function explainPostgres(error: unknown, location: string): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const explanation = explanationOf(error as DriverError)
  if (explanation === undefined) return error
  const message = `${location} ${explanation.what(detailOf(error))}`
  return new StoreError(explanation.trouble, message, { hint: explanation.hint, cause: error })
}

/** Whether the wire is gone, and the connection with it. */
export function isGone(error: unknown): boolean {
  return error instanceof StoreError && error.trouble === 'unreachable'
}

function explanationOf({ code = '', message }: DriverError): Explanation | undefined {
  if (NO_PASSWORD.test(message)) return { ...REFUSED, what: () => 'asks for a password' }
  if (SYSTEM.test(code) || GONE.test(message)) return UNREACHABLE
  return /^[0-9A-Z]{5}$/.test(code) ? (BY_STATE[code] ?? BY_STATE[code.slice(0, 2)]) : undefined
}

/** Of a name with several addresses every one failed; what they said is inside. */
function detailOf(error: Error): string {
  const inner = (error as { errors?: readonly Error[] }).errors ?? []
  return error.message === '' ? inner.map((each) => each.message).join('; ') : error.message
}
