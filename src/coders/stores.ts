import { join } from 'node:path'
import type { CoderStore } from './descriptor.ts'
import { CODERS } from './registry.ts'

type Variables = Readonly<Record<string, string>>

/** Where this coder keeps its logins, settings and sessions, and where all others do. */
export function storesOf(coder: string, env: Variables): { own: readonly string[]; others: readonly string[] } {
  const places = (mine: boolean) =>
    CODERS.filter(({ name }) => (name === coder) === mine).flatMap(({ stores = [] }) =>
      stores.flatMap((store) => [...new Set([placeOf(store, env), placeOf(store, { HOME: env['HOME'] ?? '' })])]),
    )
  // Of its own only the place that it is told to use: the other may be another account's.
  const own = CODERS.filter(({ name }) => name === coder).flatMap(({ stores = [] }) =>
    stores.map((store) => placeOf(store, env)),
  )
  return { own, others: [...places(false), ...places(true).filter((place) => !own.includes(place))] }
}

function placeOf({ path, variable, below = '' }: CoderStore, env: Variables): string {
  const folder = variable === undefined ? '' : (env[variable] ?? '')
  return folder === '' ? join(env['HOME'] || '/', path) : join(folder, below)
}
