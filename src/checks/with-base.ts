import { join } from 'node:path'
import { type Guarded, guardedAmong, type TestCounts, testCounts } from '../domain/verify/tamper.ts'
import type { CommandTry, VerifyCommand } from '../domain/verify/verification.ts'
import { readAgentFile } from '../platform/files/agent-file.ts'
import { isSameFolder, wayDown } from '../platform/files/same-folder.ts'
import { discardFolder } from '../platform/files/temporary-folder.ts'
import { type Checkout, checkoutAt } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import {
  type BaseVerification,
  type ChangedWork,
  LET_GO,
  type Verification,
  type VerifyOrder,
} from '../ports/verifier.ts'
import { makeBaseTree } from './base-tree.ts'
import { hiddenPaths } from './git-facts.ts'
import { orLastingTrouble } from './lasting-trouble.ts'

export interface BaseOrder {
  readonly order: VerifyOrder
  readonly work: ChangedWork
  readonly commands: readonly VerifyCommand[]
  /** Where they run. */
  readonly cwd: string
  /** Runs them in a copy of the tree. */
  again(copy: { cwd: string; top: string }): Promise<Verification>
  /** Whether a command runs in this copy, which an earlier supervisor made. */
  isInUse(copy: string): boolean
}

/** Verifies once more with the base version of the files that decide whether the work passes. */
export async function verifyWithBase(what: BaseOrder): Promise<BaseVerification> {
  const { work } = what
  return work.base.kind === 'git' ? await inCheckout(what, work.base) : inFolder(what, work.base)
}

type Of<Kind> = Extract<ChangedWork['base'], { kind: Kind }>

const NO_COUNTS = { removed: 0, skipped: 0 }

/** Without git there is no older version of a file. New files alone take nothing away from what was there. */
function inFolder({ work, commands, cwd }: BaseOrder, base: Of<'folder'>): BaseVerification {
  const guarded = guardedAmong(work.changed, commands, wayDown(base.cwd, cwd) ?? '')
  const files = guarded.filter(({ path }) => !base.filesWhole || Object.hasOwn(base.files, path))
  if (files.length === 0) return { kind: 'untouched' }
  return unclear(files, 'without git there is no base version of them')
}

async function inCheckout(what: BaseOrder, base: Of<'git'>): Promise<BaseVerification> {
  const { order, work, commands, cwd } = what
  const checkout = checkoutAt(order.cwd)
  if (checkout === undefined || !isSameFolder(checkout.root, base.root)) {
    const files = guardedAmong(work.changed, commands, wayDown(base.root, cwd) ?? '')
    return unclear(files, `${base.root} is not the checkout any more that it began in`)
  }
  const hidden = await orLastingTrouble(() => looking(checkout, process.env, hiddenPaths))
  const changed = [...new Set([...work.changed, ...('result' in hidden ? hidden.result : [])])]
  const files = guardedAmong(changed, commands, wayDown(checkout.root, cwd) ?? '')
  if ('why' in hidden) return unclear(files, hidden.why)
  if (files.length === 0) return { kind: 'untouched' }
  const counted = await orLastingTrouble(() => countsOf(checkout, { files, base: base.head }))
  const counts = 'result' in counted ? counted.result : NO_COUNTS
  const dirty = files.filter(({ path }) => Object.hasOwn(base.dirty, path))
  if (dirty.length > 0) {
    const names = dirty.map(({ path }) => path).join(', ')
    return unclear(files, `${names} had changes before it that were not committed, so there is no base version`, counts)
  }
  const restored = files.map(({ path }) => path)
  const withBase = await inCopy(what, { checkout, name: 'base-tree', base: base.head, restored })
  if (withBase.kind === 'cannot') return unclear(files, withBase.why, counts)
  const { commands: ran } = withBase
  if (withBase.kind === 'passed') return { kind: 'passed', files, counts, commands: ran, why: '' }
  if (withBase.kind === 'unclear') return { ...unclear(files, withBase.why, counts), commands: ran }
  // A copy may lack what the commands need, which says nothing about the tests.
  const own = await inCopy(what, { checkout, name: 'own-tree', base: base.head, restored: [] })
  if (own.kind === 'passed') return { kind: 'only-own', files, counts, commands: ran, why: '' }
  const why = 'why' in own ? own.why : 'in a copy of the checkout the commands do not pass with its own versions either'
  return { ...unclear(files, why, counts), commands: ran }
}

function unclear(files: readonly Guarded[], why: string, counts: TestCounts = NO_COUNTS): BaseFindings {
  return { kind: 'unclear', files, counts, commands: [], why }
}

type BaseFindings = Exclude<BaseVerification, { kind: 'untouched' }>

interface Copy {
  readonly checkout: Checkout
  readonly name: string
  readonly base: string | null
  readonly restored: readonly string[]
}

type CopyVerdict =
  | { readonly kind: 'passed' | 'failed'; readonly commands: readonly CommandTry[] }
  /** Nothing was found out about the work. */
  | { readonly kind: 'unclear'; readonly commands: readonly CommandTry[]; readonly why: string }
  /** There is no copy, and there will be none. */
  | { readonly kind: 'cannot'; readonly why: string }

async function inCopy(
  { order, again, isInUse }: BaseOrder,
  { checkout, name, base, restored }: Copy,
): Promise<CopyVerdict> {
  const to = join(order.folder, name)
  let isKept = false
  try {
    if (!isInUse(to)) {
      const made = await orLastingTrouble(() => makeBaseTree({ checkout, to, base, restored }))
      if ('why' in made) return { kind: 'cannot', why: made.why }
    }
    return verdictOf(await again({ cwd: join(to, wayDown(checkout.root, order.cwd) ?? ''), top: to }))
  } catch (error) {
    isKept = error === LET_GO
    throw error
  } finally {
    if (!isKept) discardFolder(to)
  }
}

function verdictOf(verification: Verification): CopyVerdict {
  switch (verification.kind) {
    case 'none':
      return { kind: 'passed', commands: [] }
    case 'passed':
    case 'flaky':
      return { kind: 'passed', commands: verification.commands }
    case 'failed':
      return { kind: 'failed', commands: verification.commands }
    case 'no-verdict':
    case 'unusable':
      return { kind: 'unclear', commands: verification.commands, why: verification.text }
  }
}

const MOST_COUNTED = 200
const LONGEST_TEST = 1 << 20

/** How many tests are gone, and how many are switched off, in all files together. */
async function countsOf(
  checkout: Checkout,
  { files, base }: { files: readonly Guarded[]; base: string | null },
): Promise<TestCounts> {
  const tests = files.filter(({ kind }) => kind === 'test').slice(0, MOST_COUNTED)
  const sum = { ...NO_COUNTS }
  await looking(checkout, process.env, async (git) => {
    for (const { path } of tests) {
      const before = base === null ? undefined : await textIn(git, `${base}:${path}`)
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
