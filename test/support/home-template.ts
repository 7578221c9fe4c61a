import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { onceInRun } from './run-folder.ts'

/** Runs fleet in the home at this path. */
type Fleet = (home: string, argv: readonly string[]) => { readonly code: number | null; readonly stderr: string }

/**
 * Puts a home at this path as `fleet init --queue local` and `fleet config set` would, and gives it to this user. The
 * commands run once in a test run for the same settings: hundreds of tests begin with such a home, and none of them is
 * about these commands. Nothing in a new home says which one it is.
 */
export function copyHome(path: string, settings: readonly string[], fleet: Fleet, uid?: number): void {
  copyFolder(join(madeOnce(settings, fleet), 'home'), path)
  if (uid !== undefined) giveTo(path, uid)
}

/** Another queue for a copied home; `fleet init --queue` then sets it up. */
export function nameQueue(path: string, queue: string): void {
  const file = join(path, 'runtime.toml')
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('queue = "local"', () => `queue = ${JSON.stringify(queue)}`),
  )
}

function madeOnce(settings: readonly string[], fleet: Fleet): string {
  const name = createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16)
  return onceInRun(`home-${name}`, (folder) => {
    const home = join(folder, 'home')
    if (settings.length > 0) copyFolder(join(madeOnce([], fleet), 'home'), home)
    const { code, stderr } = fleet(
      home,
      settings.length > 0 ? ['config', 'set', ...settings] : ['init', '--queue', 'local'],
    )
    if (code !== 0) throw new Error(`the home of a test cannot be made: ${stderr}`)
  })
}

/** With its permissions, which `cpSync` of newer Nodes does not keep. A home has files and folders only. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, copy)
    else copyFileSync(source, copy)
  }
  chmodSync(to, lstatSync(from).mode)
}

/** Gives a file, or a folder with all that is in it, to this user. */
export function giveTo(path: string, uid: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // A supervisor of this user renames and removes files of its own meanwhile.
  if (found === undefined) return
  if (found.uid !== uid) chownSync(path, uid, uid)
  if (found.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), uid)
}
