import type { Guarded } from '../domain/verify/tamper.ts'
import type { CommandTry, VerifyCommand } from '../domain/verify/verification.ts'
import { isSameFolder } from '../platform/files/same-folder.ts'
import { type Checkout, checkoutAt } from '../platform/git/checkout.ts'
import type { GitOwner } from '../platform/git/git-owner.ts'
import type { BaseVerification, ChangedWork, Verification, VerifyOrder } from '../ports/verifier.ts'
import type { GuardedChange } from './guarded-changes.ts'
import { inCopy } from './in-copy.ts'
import { orLastingTrouble } from './lasting-trouble.ts'
import { rulesBelow, unacceptedChanges } from './unaccepted-changes.ts'

export interface BaseOrder {
  readonly order: VerifyOrder
  readonly work: ChangedWork
  readonly commands: readonly VerifyCommand[]
  /** Where they run. */
  readonly cwd: string
  /** The user's own patterns of files that decide whether work passes. */
  readonly include: readonly string[]
  /** The folder of fleet's own files, which no agent's work is in. */
  readonly home: string
  readonly owner: GitOwner
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
    const files = rulesBelow(what, roots.at(-1) ?? '')(all)
    return unclear(files, `${other} is not the checkout any more that it began in`)
  }
  return await inCheckout(what, checkout)
}

/** Without git there is no older version of a file. New files alone take nothing away from what was there. */
function inFolder(what: BaseOrder): BaseVerification {
  const files = what.work.attempts.flatMap(({ base, changed }) => {
    if (base.kind !== 'folder') return []
    const guarded = rulesBelow(what, base.cwd)(changed)
    return guarded.filter(({ path }) => !base.filesWhole || Object.hasOwn(base.files, path))
  })
  if (files.length === 0) return { kind: 'untouched' }
  return unclear(files, 'without git there is no base version of them')
}

async function inCheckout(what: BaseOrder, checkout: Checkout): Promise<BaseVerification> {
  const listed = await orLastingTrouble(() => unacceptedChanges(what, checkout))
  if ('why' in listed) return unclear([], listed.why)
  const files = listed.result
  if (files.length === 0) return { kind: 'untouched' }
  const lacking = files.flatMap(({ path, lacksBase }) => (lacksBase === undefined ? [] : [`${path} ${lacksBase}`]))
  if (lacking.length > 0) return unclear(files, `${lacking.slice(0, 5).join(', ')}, so there is no base version`)
  const ran: CommandTry[] = []
  for (const { name, of } of steps(files)) {
    const restored = new Map(of.map(({ path, from }) => [path, from]))
    const withBase = await inCopy(what, { checkout, name, restored })
    if (withBase.kind === 'cannot') return { ...unclear(files, withBase.why), commands: ran }
    ran.push(...withBase.commands)
    if (withBase.kind === 'unclear') return { ...unclear(files, withBase.why), commands: ran }
    if (withBase.kind === 'passed') continue
    // A copy may lack what the commands need, which says nothing about the tests.
    const own = await inCopy(what, { checkout, name: 'own-tree', restored: new Map() })
    if (own.kind === 'passed') return { kind: 'only-own', files: of, commands: ran, why: '' }
    const why = 'why' in own ? own.why : notInCopyText(own.leftOut)
    return { ...unclear(files, why), commands: ran }
  }
  return { kind: 'passed', files, commands: ran, why: '' }
}

/**
 * A script that the commands name may be the work itself. Its base version proves nothing about that, so the other files are
 * put back once more without it.
 */
function steps(files: readonly GuardedChange[]): readonly { name: string; of: readonly GuardedChange[] }[] {
  const scripts = files.filter(({ kind }) => kind === 'script')
  const without = scripts.length > MOST_SCRIPTS ? [scripts] : scripts.map((script) => [script])
  const rest = without.map((some) => files.filter((each) => !some.includes(each)))
  return [files, ...rest.filter((of) => of.length > 0)].map((of, i) => ({
    name: i === 0 ? 'base-tree' : `rest-${i}`,
    of,
  }))
}

/** Each costs a verification. */
const MOST_SCRIPTS = 3

function notInCopyText(leftOut: readonly string[]): string {
  const lacks = leftOut.length === 0 ? '' : `, which lacks ${leftOut.join(', ')} (too large),`
  return `in a copy of the checkout${lacks} the commands do not pass with its own versions either`
}

function unclear(files: readonly Guarded[], why: string): BaseFindings {
  return { kind: 'unclear', files, commands: [], why }
}

type BaseFindings = Exclude<BaseVerification, { kind: 'untouched' }>
