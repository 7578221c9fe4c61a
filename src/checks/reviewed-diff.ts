import { isAbsolute, join } from 'node:path'
import { MOST_DIFF_BYTES } from '../domain/review/agent-review.ts'
import type { Changes } from '../domain/run/changes.ts'
import { isPlainFile } from '../platform/files/folder.ts'
import { checkoutIn } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import type { Base } from '../ports/workspace.ts'

/** The changes of a run as a text that a reviewer reads. */
export interface ReviewedDiff {
  readonly text: string
  /** Changed files that it does not show, or only in part. */
  readonly leftOut: readonly string[]
}

/** Each is one call of git. */
const MOST_NEW = 200
const MOST_COMMITS = 100
/** In one call. */
const MOST_NAMED = 100

const FORM = ['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty']
const DIFF = ['--literal-pathspecs', 'diff', ...FORM]

/**
 * The changes of these files since the base: those that git tracks, new ones, and commits that the checked-out branch does not
 * contain, as of a branch that was pushed and deleted. undefined: no diff can be made.
 */
export async function reviewedDiff(base: Base | undefined, changes: Changes): Promise<ReviewedDiff | undefined> {
  const checkout = base?.kind === 'git' ? checkoutIn(base.root) : undefined
  if (checkout === undefined || base?.kind !== 'git') return undefined
  return await looking(checkout, process.env, async (git) => {
    const all = textOfWork(git)
    const since = base.head ?? (await read(git, ['hash-object', '-t', 'tree', '/dev/null']))?.trim()
    if (since === undefined) return undefined
    const changed = await names(git, [...DIFF, '--name-only', '--no-renames', '-z', since, '--'])
    if (changed === undefined) return undefined
    const own = new Set(changes.files)
    const tracked = [...changed].filter((file) => own.has(file))
    for (const some of portions(tracked)) await all.add([...DIFF, since, '--', ...some], some)
    const hidden = changes.files.filter((file) => !changed.has(file) && !isAbsolute(file))
    for (const file of await newFiles(git, { root: checkout.root, files: hidden })) {
      await all.add([...DIFF, '--no-index', '--', '/dev/null', file === '-' ? './-' : file], [file])
    }
    for (const commit of await commitsElsewhere(git, changes.commits)) {
      const shown = await names(git, ['diff-tree', '-r', '--root', '--no-commit-id', '--name-only', '-z', commit])
      await all.add(['diff-tree', '-p', '-r', '--root', '--cc', ...FORM, commit], [...(shown ?? [])])
    }
    const leftOut = changes.files.filter((file) => !all.shown.has(file))
    return all.text() === '' ? undefined : { text: all.text(), leftOut }
  })
}

/** Git ignores some of them. One that is not new is on a branch that is not checked out. */
async function newFiles(git: LookingGit, { root, files }: { root: string; files: readonly string[] }) {
  const found: string[] = []
  for (const some of portions(files)) {
    const others = await names(git, ['--literal-pathspecs', 'ls-files', '--others', '-z', '--', ...some])
    found.push(...some.filter((file) => others?.has(file) === true && isPlainFile(join(root, file))))
  }
  return found.slice(0, MOST_NEW)
}

/** Oldest first. */
async function commitsElsewhere(git: LookingGit, commits: readonly string[]): Promise<readonly string[]> {
  const some = commits.slice(0, MOST_COMMITS)
  if (some.length === 0) return []
  const listed = await read(git, ['rev-list', '--ignore-missing', ...some, '^HEAD', '--'])
  const elsewhere = new Set(listed?.split('\n'))
  return some.filter((commit) => elsewhere.has(commit)).reverse()
}

function textOfWork(git: LookingGit) {
  const parts: Buffer[] = []
  const shown = new Set<string>()
  let left = MOST_DIFF_BYTES
  return {
    shown,
    text: () => Buffer.concat(parts).toString('utf8'),
    async add(argv: readonly string[], files: readonly string[]): Promise<void> {
      if (left <= 0) return
      const before = left
      const take = (bytes: Uint8Array): void => {
        if (left > 0) parts.push(Buffer.from(bytes.subarray(0, left)))
        left -= bytes.length
      }
      const ended = await git(argv, { ...LIMITS, take })
      // It exits with 1 for a new file, because that differs from nothing.
      const isWhole = ended.kind === 'ended' && (ended.code === 0 || ended.code === 1)
      if (isWhole && left >= 0 && left < before) for (const file of files) shown.add(file)
    },
  }
}

function portions(files: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / MOST_NAMED)
  return Array.from({ length: count }, (_, i) => files.slice(i * MOST_NAMED, (i + 1) * MOST_NAMED))
}

const LIMITS = { timeoutMs: 60_000, maxBytes: 1 << 30 }

async function names(git: LookingGit, argv: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const text = await read(git, argv)
  return text === undefined ? undefined : new Set(text.split('\0').filter((name) => name !== ''))
}

/** undefined: git failed. */
async function read(git: LookingGit, argv: readonly string[]): Promise<string | undefined> {
  const ended = await git(argv, LIMITS)
  return ended.kind === 'ended' && ended.code === 0 ? ended.out.toString('utf8') : undefined
}
