import { AppError } from '../../errors.ts'
import { StoreError, type StoreTrouble } from '../sqlite/store-error.ts'

/** An error of the server or the connection. None of them contains the password. */
interface DriverError extends Error {
  /** SQLSTATE, or the system's code for a connection error. */
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

/** By SQLSTATE; the full code takes precedence over its class (the first two characters). */
const BY_STATE: Readonly<Record<string, Explanation>> = {
  '08': UNREACHABLE,
  '28': REFUSED,
  '3D': { trouble: 'cannot-open', what: (detail) => `does not exist: ${detail}`, hint: 'create it with createdb' },
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
  '57P03': {
    trouble: 'starting',
    what: (detail) => `is not ready: ${detail}`,
    hint: 'nothing was changed; run it again when the server is ready',
  },
  '58': {
    trouble: 'input-output',
    what: (detail) => `input/output error: ${detail}`,
    hint: 'nothing was changed; check the disk of the server',
  },
  '25006': {
    trouble: 'read-only',
    what: () => 'cannot be written: the server is read-only, as a standby is',
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
/** The driver's messages for a lost connection, which have no code. */
const LOST =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|The server does not support SSL|Cannot use a pool after)/
const NO_PASSWORD = /client password must be a|no password supplied/

/** Turns a driver error into one that a person can act on; returns any other error unchanged. */
export function explainPostgres(error: unknown, location: string): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const explanation = explanationOf(error as DriverError)
  if (explanation === undefined) return error
  const message = `${location} ${explanation.what(detailOf(error))}`
  return new StoreError(explanation.trouble, message, { hint: explanation.hint, cause: error })
}

/** Whether the connection is lost. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof StoreError && (error.trouble === 'unreachable' || error.trouble === 'starting')
}

function explanationOf({ code = '', message }: DriverError): Explanation | undefined {
  if (NO_PASSWORD.test(message)) return { ...REFUSED, what: () => 'asks for a password' }
  if (SYSTEM.test(code) || LOST.test(message)) return UNREACHABLE
  return /^[0-9A-Z]{5}$/.test(code) ? (BY_STATE[code] ?? BY_STATE[code.slice(0, 2)]) : undefined
}

/** If a host name has several addresses, the error contains one error per address. */
function detailOf(error: Error): string {
  const inner = (error as { errors?: readonly Error[] }).errors ?? []
  return error.message === '' ? inner.map((each) => each.message).join('; ') : error.message
}
