import { join } from 'node:path'
import type { CommandTry } from '../domain/verify/verification.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { discardLarge } from '../platform/files/temporary-folder.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import { LET_GO, type Verification } from '../ports/verifier.ts'
import { makeBaseTree } from './base-tree.ts'
import { orLastingTrouble } from './lasting-trouble.ts'
import type { BaseOrder } from './with-base.ts'

export interface Copy {
  readonly checkout: Checkout
  readonly name: string
  readonly restored: ReadonlyMap<string, string | null>
}

export type CopyVerdict =
  | (Ran & { readonly kind: 'passed' | 'failed' })
  /** Nothing was found out about the work. */
  | (Ran & { readonly kind: 'unclear'; readonly why: string })
  /** There is no copy, and there will be none. */
  | { readonly kind: 'cannot'; readonly why: string }

interface Ran {
  readonly commands: readonly CommandTry[]
  /** Paths that are too large to be copied. */
  readonly leftOut: readonly string[]
}

/** Runs the commands in a throw-away copy of a checkout. */
export async function inCopy(
  { order, again, isInUse, owner }: BaseOrder,
  { checkout, name, restored }: Copy,
): Promise<CopyVerdict> {
  const to = join(order.folder, name)
  let isKept = false
  try {
    const made = isInUse(to)
      ? { result: [] }
      : await orLastingTrouble(() => makeBaseTree({ checkout, to, restored, owner }))
    if ('why' in made) return { kind: 'cannot', why: made.why }
    const cwd = join(to, wayDown(checkout.root, order.cwd) ?? '')
    return verdictOf(await again({ cwd, top: to }), made.result)
  } catch (error) {
    isKept = error === LET_GO
    throw error
  } finally {
    if (!isKept) await discardLarge(to)
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
