import { join } from 'node:path'
import { type Guarded, guardedAmong, type TestCounts, testCounts } from '../domain/verify/tamper.ts'
import type { CommandTry, VerifyCommand } from '../domain/verify/verification.ts'
import { readAgentFile } from '../platform/files/agent-file.ts'
import { isSameFolder, wayDown } from '../platform/files/same-folder.ts'
import { discardFolder, temporaryFolder } from '../platform/files/temporary-folder.ts'
import { type Checkout, checkoutAt } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import { PRIVATE_FOLDER } from '../platform/git/private-folder.ts'
import {
  type AttemptWork,
  type BaseVerification,
  type ChangedWork,
  LET_GO,
  type Verification,
  type VerifyOrder,
} from '../ports/verifier.ts'
import { makeBaseTree } from './base-tree.ts'
import { type GuardedChange, guardedChanges } from './guarded-changes.ts'
import { orLastingTrouble } from './lasting-trouble.ts'

export interface BaseOrder {
  readonly order: VerifyOrder
  readonly work: ChangedWork
  readonly commands: readonly VerifyCommand[]
  /** Where they run. */
  readonly cwd: string
  /** The folder of fleet's own files, which no agent's work is in. */
  readonly home: string
  /** Runs them in a copy of the tree. */
  again(copy: { cwd: string; top: string }): Promise<Verification>
  /** Whether a command runs in this copy, which an earlier supervisor made. */
  isInUse(copy: string): boolean
}

/** Verifies once more with the base version of the files that decide whether the work passes. */
export async function verifyWithBase(what: BaseOrder): Promise<BaseVerification> {
  const { attempts } = what.work
  const checkout = checkoutAt(what.order.cwd)
  if (attempts.every(({ base }) => base.kind === 'folder')) return inFolder(what)
  const roots = attempts.flatMap(({ base }) => (base.kind === 'git' ? [base.root] : [base.cwd]))
  const other = roots.find((root) => checkout === undefined || !isSameFolder(checkout.root, root))
  if (checkout === undefined || other !== undefined) {
    const all = attempts.flatMap(({ changed }) => changed)
    const files = guardedAmong(all, what.commands, wayDown(roots.at(-1) ?? '', what.cwd) ?? '')
    return unclear(files, `${other} is not the checkout any more that it began in`)
  }
  return await inCheckout(what, checkout)
}

const NO_COUNTS = { removed: 0, skipped: 0 }

/** Without git there is no older version of a file. New files alone take nothing away from what was there. */
function inFolder({ work, commands, cwd }: BaseOrder): BaseVerification {
  const files = work.attempts.flatMap(({ base, changed }) => {
    if (base.kind !== 'folder') return []
    const guarded = guardedAmong(changed, commands, wayDown(base.cwd, cwd) ?? '')
    return guarded.filter(({ path }) => !base.filesWhole || Object.hasOwn(base.files, path))
  })
  if (files.length === 0) return { kind: 'untouched' }
  return unclear(files, 'without git there is no base version of them')
}

async function inCheckout(what: BaseOrder, checkout: Checkout): Promise<BaseVerification> {
  const listed = await orLastingTrouble(() => changesIn(what, checkout))
  if ('why' in listed) return unclear([], listed.why)
  const files = listed.result
  if (files.length === 0) return { kind: 'untouched' }
  const counted = await orLastingTrouble(() => countsOf(checkout, files))
  const counts = 'result' in counted ? counted.result : NO_COUNTS
  const lacking = files.flatMap(({ path, lacksBase }) => (lacksBase === undefined ? [] : [`${path} ${lacksBase}`]))
  if (lacking.length > 0)
    return unclear(files, `${lacking.slice(0, 5).join(', ')}, so there is no base version`, counts)
  const restored = new Map(files.map(({ path, from }) => [path, from]))
  const withBase = await inCopy(what, { checkout, name: 'base-tree', restored })
  if (withBase.kind === 'cannot') return unclear(files, withBase.why, counts)
  const { commands: ran } = withBase
  if (withBase.kind === 'passed') return { kind: 'passed', files, counts, commands: ran, why: '' }
  if (withBase.kind === 'unclear') return { ...unclear(files, withBase.why, counts), commands: ran }
  // A copy may lack what the commands need, which says nothing about the tests.
  const own = await inCopy(what, { checkout, name: 'own-tree', restored: new Map() })
  if (own.kind === 'passed') return { kind: 'only-own', files, counts, commands: ran, why: '' }
  const why = 'why' in own ? own.why : notInCopyText(own.leftOut)
  return { ...unclear(files, why, counts), commands: ran }
}

function notInCopyText(leftOut: readonly string[]): string {
  const lacks = leftOut.length === 0 ? '' : `, which lacks ${leftOut.join(', ')} (too large),`
  return `in a copy of the checkout${lacks} the commands do not pass with its own versions either`
}

function unclear(files: readonly Guarded[], why: string, counts: TestCounts = NO_COUNTS): BaseFindings {
  return { kind: 'unclear', files, counts, commands: [], why }
}

type BaseFindings = Exclude<BaseVerification, { kind: 'untouched' }>

/**
 * Of the last attempt everything that is not as it was before it. Of earlier ones only what they are known to have changed:
 * others may have worked here since then.
 */
async function changesIn(
  { work, commands, cwd, home }: BaseOrder,
  checkout: Checkout,
): Promise<readonly GuardedChange[]> {
  const below = wayDown(checkout.root, cwd) ?? ''
  const ofHome = homeIn(checkout.root, home)
  const others = new Set(work.others)
  const guards = (paths: readonly string[]) => guardedAmong(paths, commands, below)
  const counting = ({ changed }: AttemptWork, isLast: boolean) => {
    const own = new Set(changed)
    return (path: string): boolean => !ofHome(path) && (own.has(path) || (isLast && !others.has(path)))
  }
  const [first] = work.attempts
  const found = new Map<string, GuardedChange>()
  const scratch = temporaryFolder(PRIVATE_FOLDER)
  try {
    await looking(checkout, process.env, async (git) => {
      for (const [i, attempt] of work.attempts.entries()) {
        const { base, since, changed } = attempt
        const isLast = i === work.attempts.length - 1
        if (base.kind !== 'git' || (!isLast && guards(changed).length === 0)) continue
        const counts = counting(attempt, isLast)
        const times = { since: base.at ?? since, ignoredSince: first?.base.at ?? first?.since ?? since }
        const order = { checkout, base, ...times, guards, counts, index: join(scratch, `index-${i}`) }
        for (const each of await guardedChanges(git, order)) if (!found.has(each.path)) found.set(each.path, each)
      }
    })
  } finally {
    discardFolder(scratch)
  }
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

function homeIn(root: string, home: string): (path: string) => boolean {
  const inside = wayDown(root, home) ?? ''
  return (path) => inside !== '' && path.startsWith(`${inside}/`)
}

interface Copy {
  readonly checkout: Checkout
  readonly name: string
  readonly restored: ReadonlyMap<string, string | null>
}

type CopyVerdict =
  | (Ran & { readonly kind: 'passed' | 'failed' })
  /** Nothing was found out about the work. */
  | (Ran & { readonly kind: 'unclear'; readonly why: string })
  /** There is no copy, and there will be none. */
  | { readonly kind: 'cannot'; readonly why: string }

interface Ran {
  readonly commands: readonly CommandTry[]
  /** Folders that are too large to be copied. */
  readonly leftOut: readonly string[]
}

async function inCopy({ order, again, isInUse }: BaseOrder, { checkout, name, restored }: Copy): Promise<CopyVerdict> {
  const to = join(order.folder, name)
  let isKept = false
  try {
    const made = isInUse(to) ? { result: [] } : await orLastingTrouble(() => makeBaseTree({ checkout, to, restored }))
    if ('why' in made) return { kind: 'cannot', why: made.why }
    const cwd = join(to, wayDown(checkout.root, order.cwd) ?? '')
    return verdictOf(await again({ cwd, top: to }), made.result)
  } catch (error) {
    isKept = error === LET_GO
    throw error
  } finally {
    if (!isKept) discardFolder(to)
  }
}

function verdictOf(verification: Verification, leftOut: readonly string[]): CopyVerdict {
  switch (verification.kind) {
    case 'none':
      return { kind: 'passed', commands: [], leftOut }
    case 'passed':
    case 'flaky':
      return { kind: 'passed', commands: verification.commands, leftOut }
    case 'failed':
      return { kind: 'failed', commands: verification.commands, leftOut }
    case 'no-verdict':
    case 'unusable':
      return { kind: 'unclear', commands: verification.commands, leftOut, why: verification.text }
  }
}

const MOST_COUNTED = 200
const LONGEST_TEST = 1 << 20

/** How many tests are gone, and how many are switched off, in all files together. */
async function countsOf(checkout: Checkout, files: readonly GuardedChange[]): Promise<TestCounts> {
  const tests = files.filter(({ kind }) => kind === 'test').slice(0, MOST_COUNTED)
  const sum = { ...NO_COUNTS }
  await looking(checkout, process.env, async (git) => {
    for (const { path, from } of tests) {
      const before = from === null ? undefined : await textIn(git, `${from}:${path}`)
      const { removed, skipped } = testCounts(before, textAt(join(checkout.root, path)))
      sum.removed += removed
      sum.skipped += skipped
    }
  })
  return sum
}

/** undefined: there is no such file, or it is too long for a test. */
async function textIn(git: LookingGit, object: string): Promise<string | undefined> {
  const run = await git(['cat-file', 'blob', object], { maxBytes: LONGEST_TEST })
  return run.kind === 'ended' && run.code === 0 ? run.out.toString('utf8') : undefined
}

function textAt(path: string): string | undefined {
  try {
    return readAgentFile(path, LONGEST_TEST)
  } catch {
    return undefined
  }
}
