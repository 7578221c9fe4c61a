import { describe, test } from 'vitest'
import { blockedCases } from './cases/blocked.ts'
import { claimCases } from './cases/claims.ts'
import { dependencyCases } from './cases/dependencies.ts'
import { importCases } from './cases/import.ts'
import { leaseCases } from './cases/leases.ts'
import { lockCases } from './cases/locks.ts'
import { peopleCases } from './cases/people.ts'
import { raceCases } from './cases/races.ts'
import { readinessCases } from './cases/readiness.ts'
import { spacingCases } from './cases/spacing.ts'
import { valueCases } from './cases/values.ts'
import { claimTasks, createTasks, type Given, NOTHING } from './given.ts'
import type { ContractCase, QueueUnderTest } from './subject.ts'

/** The contract of every queue. A backend calls `queueContract`; nothing here changes for it. */
export const CONTRACT: readonly ContractCase[] = [
  ...claimCases,
  ...readinessCases,
  ...leaseCases,
  ...lockCases,
  ...blockedCases,
  ...spacingCases,
  ...peopleCases,
  ...dependencyCases,
  ...importCases,
  ...raceCases,
  ...valueCases,
]

export interface ContractOptions {
  readonly skip?: boolean
  readonly timeoutMs?: number
  /** Run cases in parallel, because they mostly wait for processes. */
  readonly concurrent?: boolean
}

/** Makes what the case starts with, unless the backend has made it already, and runs the case. */
export async function runCase({ given = NOTHING, run }: ContractCase, subject: QueueUnderTest): Promise<void> {
  if (subject.claims === undefined) await createTasks(subject, given)
  await run(subject, ...(subject.claims ?? (await claimTasks(subject, given))))
}

export function queueContract(
  name: string,
  open: (given: Given) => Promise<QueueUnderTest>,
  options: ContractOptions = {},
): void {
  const { skip = false, timeoutMs = 60_000, concurrent = false } = options
  describe.skipIf(skip)(`the queue contract, kept by ${name}`, { timeout: timeoutMs, concurrent }, () => {
    for (const each of CONTRACT) {
      test(each.name, async () => {
        await using subject = await open(each.given ?? NOTHING)
        await runCase(each, subject)
      })
    }
  })
}
