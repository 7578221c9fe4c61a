import { join } from 'node:path'
import type { CoderStore } from './descriptor.ts'
import { CODERS } from './registry.ts'

type Variables = Readonly<Record<string, string>>

export interface OwnStore {
  readonly path: string
  /** A person's CLI obeys or runs what is there, so its agent does not write it. With the text of a new file. */
  readonly kept: readonly { readonly path: string; readonly text?: string }[]
  readonly isProgram: boolean
}

/** Where this coder keeps its logins, settings and sessions, and where all others do. */
export function storesOf(coder: string, env: Variables): { own: readonly OwnStore[]; others: readonly string[] } {
  const places = (mine: boolean) =>
    CODERS.filter(({ name }) => (name === coder) === mine).flatMap(({ stores = [] }) =>
      stores.flatMap((store) => [...new Set([placeOf(store, env), placeOf(store, { HOME: env['HOME'] ?? '' })])]),
    )
  // Of its own only the place that it is told to use: the other may be another account's.
  const own = CODERS.filter(({ name }) => name === coder).flatMap(({ stores = [] }) =>
    stores.map((store) => ownStore(store, env)),
  )
  const paths = own.map(({ path }) => path)
  return { own, others: [...places(false), ...places(true).filter((place) => !paths.includes(place))] }
}

function ownStore(store: CoderStore, env: Variables): OwnStore {
  const { settings = {}, run = [], isProgram = false } = store
  const path = placeOf(store, env)
  const files = Object.entries(settings).map(([name, text]) => ({ path: join(path, name), text }))
  return { path, isProgram, kept: [...files, ...run.map((name) => ({ path: join(path, name) }))] }
}

function placeOf({ path, variable, below = '' }: CoderStore, env: Variables): string {
  const folder = variable === undefined ? '' : (env[variable] ?? '')
  return folder === '' ? join(env['HOME'] || '/', path) : join(folder, below)
}
