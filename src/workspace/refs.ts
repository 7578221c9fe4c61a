import { join } from 'node:path'
import type { FoundRef, Origin } from '../domain/evidence/found-changes.ts'
import { readEnd } from '../platform/files/attempt-folder.ts'
import { stampOf } from '../platform/files/walk.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import { textOf } from '../platform/git/work-files.ts'
import type { GitBase, OfFleet } from '../ports/workspace.ts'
import { at, notBefore, TICK_MS } from './found-changes.ts'
import { outputOf } from './git.ts'
import { madeHere } from './made-here.ts'

type Refs = Readonly<Record<string, string>>

const LIMIT = 5000
/** Not the stash, nor fleet's own. */
const KINDS = ['refs/heads', 'refs/tags', 'refs/remotes']

/** The branches and tags by name, with the objects that they stand for. */
export async function refsOf(git: LookingGit): Promise<Refs> {
  return (await refsAndCommits(git)).refs
}

/** `commits`: by the object of a tag, the commit that it names. */
async function refsAndCommits(git: LookingGit): Promise<{ refs: Refs; commits: ReadonlyMap<string, string> }> {
  const format = '--format=%(objectname) %(*objectname) %(refname)'
  const text = outputOf(await git(['for-each-ref', `--count=${LIMIT}`, format, ...KINDS]))
  const refs: Record<string, string> = Object.create(null)
  const commits = new Map<string, string>()
  for (const line of (text ?? '').split('\n')) {
    const [id = '', commit = '', name = ''] = line.split(' ')
    if (name === '') continue
    refs[name] = id
    if (commit !== '') commits.set(id, commit)
  }
  return { refs, commits }
}

interface RefsOrder {
  readonly since: number
  readonly checkout: Checkout
  readonly own: GitBase['own']
  readonly ofFleet: OfFleet
}

/** Those that were made, moved or deleted since. */
export async function changedRefs(
  git: LookingGit,
  before: Refs,
  { since, checkout, own, ofFleet }: RefsOrder,
): Promise<FoundRef[]> {
  const { refs: now, commits } = await refsAndCommits(git)
  const made = madeHere(checkout, since)
  const [landed, theirs] = [new Set(ofFleet.landed), new Set(ofFleet.branches.map((name) => `refs/heads/${name}`))]
  const originOf = (name: string): Origin | undefined => {
    const id = now[name] ?? ''
    if (theirs.has(name) || landed.has(id)) return 'by fleet'
    const isHere = name === `refs/heads/${own?.branch}` || made.has(commits.get(id) ?? id)
    return isHere ? 'here' : undefined
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name])
  const fetched = await fetchedAmong(git, names, { since, checkout, before, now, commits, made })
  return names
    .filter((name) => !fetched.has(name))
    .map((name) => {
      const origin = originOf(name)
      const stamp = now[name] === undefined ? undefined : stampOf(join(checkout.commonFolder, name))
      const when = stamp === undefined ? { from: since, to: Number.MAX_SAFE_INTEGER } : at(stamp.ctime)
      return { name, when, ...(origin !== undefined && { origin }) }
    })
}

interface Fetching {
  readonly since: number
  readonly checkout: Checkout
  readonly before: Refs
  readonly now: Refs
  readonly commits: ReadonlyMap<string, string>
  readonly made: ReadonlySet<string>
}

/**
 * The refs that a fetch has moved. A remote-tracking one counts if it was pushed, as its log says, or has what was made here;
 * a tag, if it names a commit that was made here, had been here before, or is on a branch, and the last fetch did not bring it.
 */
async function fetchedAmong(
  git: LookingGit,
  names: readonly string[],
  { checkout, since, before, now, commits, made }: Fetching,
): Promise<ReadonlySet<string>> {
  const commitOf = (name: string): string => commits.get(now[name] ?? '') ?? now[name] ?? ''
  const local = new Set(names.filter((name) => name.startsWith('refs/heads/')).map((name) => now[name]))
  const isFromRemote = (name: string): boolean =>
    !made.has(commitOf(name)) && !local.has(now[name]) && !isPushed(checkout, name)
  const tags = names.filter((name) => name.startsWith('refs/tags/') && now[name] !== undefined)
  const open = tags.filter((name) => !made.has(commitOf(name)))
  const branches = Object.keys(now).flatMap((name) => (name.startsWith('refs/heads/') ? [now[name] ?? ''] : []))
  const foreign = await unknownTo(git, open.map(commitOf), [...Object.values(before), ...branches])
  const brought = tagsOfFetch(checkout, since)
  return new Set([
    ...names.filter((name) => name.startsWith('refs/remotes/') && isFromRemote(name)),
    ...open.filter((name) => foreign.has(commitOf(name))),
    ...tags.filter((name) => brought.has(`${name} ${now[name]}`)),
  ])
}

/**
 * The tags that the last fetch found, with the objects that they stand for. Without this a lightweight tag onto a commit that
 * was here looks like one that was made here. A tag that is older than the fetch was pushed before.
 */
function tagsOfFetch({ gitFolder, commonFolder }: Checkout, since: number): ReadonlySet<string> {
  const found = new Set<string>()
  for (const folder of new Set([gitFolder, commonFolder])) {
    const path = join(folder, 'FETCH_HEAD')
    const fetchedAt = stampOf(path)?.ctime
    if (fetchedAt === undefined || !notBefore(since, TICK_MS)(fetchedAt)) continue
    for (const line of (readEnd(path, FETCH_BYTES) ?? '').split('\n')) {
      const [, id, tag] = /^([0-9a-f]{40,64})\t[^\t]*\ttag '([^']+)' of /.exec(line) ?? []
      if (tag === undefined) continue
      const name = `refs/tags/${tag}`
      const madeAt = stampOf(join(commonFolder, name))?.ctime
      if (madeAt === undefined || Number(fetchedAt - madeAt) / 1e6 < FETCH_MS) found.add(`${name} ${id}`)
    }
  }
  return found
}

const FETCH_BYTES = 1 << 20
/** From the first ref that a fetch writes to its last. */
const FETCH_MS = 10_000

/** A fetch and a push move the same refs. */
function isPushed({ commonFolder }: Checkout, name: string): boolean {
  return /\tupdate by push\n*$/.test(readEnd(join(commonFolder, 'logs', name), LOG_BYTES) ?? '')
}

const LOG_BYTES = 1 << 12

/** Those of the commits to which none of these objects leads. */
async function unknownTo(
  git: LookingGit,
  commits: readonly string[],
  objects: readonly string[],
): Promise<ReadonlySet<string>> {
  if (commits.length === 0) return new Set()
  const input = [...commits, ...objects.map((id) => `^${id}`), ''].join('\n')
  return new Set((await textOf(git, ['rev-list', '--ignore-missing', '--stdin'], input))?.split('\n'))
}
