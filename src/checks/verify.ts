import { join } from 'node:path'
import type { Policy } from '../domain/fleet/policy.ts'
import type { CheckVerdict } from '../domain/run/check-result.ts'
import { baseWarning, guardedFindings, guardedText, lostText } from '../domain/verify/guarded-text.ts'
import { type CommandTry, commandText } from '../domain/verify/verification.ts'
import type { Check, CheckSubject } from '../ports/checks.ts'
import type { BaseVerification, Verification, Verifier, VerifyOrder } from '../ports/verifier.ts'

export interface VerifyCheckParts {
  readonly verifier: Verifier
  policy(): Pick<Policy, 'tamper'>
}

/** Runs the project's own commands on what the agent has left, after it has gone. */
export function verifyCheck(parts: VerifyCheckParts): Check {
  const { verifier } = parts
  return {
    name: 'verify',
    // Asked for `verified` without a command, a person must be told why.
    appliesTo: (subject) => subject.closeAt === 'verified' || verifier.hasCommands(orderOf(subject)),
    async run(subject, signal) {
      const order = orderOf(subject)
      const verification = await verifier.verify(order, signal)
      if (verification.kind !== 'passed' && verification.kind !== 'flaky') return verdictOf(verification, subject)
      const { commands, text, known } = verification
      const warnings = text === '' ? [] : [text]
      return await judgeTests(
        parts,
        { subject, order, passed: { commands, warnings, ...(known && { known }) } },
        signal,
      )
    },
  }
}

function orderOf({ run, folder, changes, verify, portBase }: Omit<CheckSubject, 'waits'>): VerifyOrder {
  return {
    subject: run.id,
    task: run.task,
    folder: join(folder, 'checks'),
    cwd: run.cwd,
    project: run.project,
    command: verify,
    portBase,
    changed: (path) => changes?.files.some((file) => path.endsWith(`/${file}`)) === true,
  }
}

interface Passed {
  readonly subject: CheckSubject
  readonly order: VerifyOrder
  readonly passed: {
    readonly commands: readonly CommandTry[]
    readonly warnings: readonly string[]
    readonly known?: true
  }
}

/** Work that changed what it is checked with has to pass with the base version too, or a person looks at it. */
async function judgeTests(
  { verifier, policy }: VerifyCheckParts,
  { subject, order, passed: { warnings, ...first } }: Passed,
  signal: AbortSignal,
): Promise<CheckVerdict> {
  const { work, run } = subject
  const tamper = policy().tamper(run.project)
  const passed = { kind: 'passed', proves: 'verified', ...first } as const
  const found: BaseVerification =
    tamper === 'off' || work === undefined ? { kind: 'untouched' } : await verifier.verifyWithBase(order, work, signal)
  const more = found.kind === 'untouched' ? [] : found.files.map(({ path }) => path)
  const counts = work === undefined ? NO_COUNTS : await verifier.lostTests(work, more)
  const told = (more: readonly string[]) => ({ warnings: [...warnings, ...more] })
  if (found.kind === 'untouched') return { ...passed, ...told([lostText(counts)].filter((text) => text !== '')) }
  const ran = {
    guarded: guardedFindings(found, counts),
    commands: [...first.commands, ...found.commands.map((each) => ({ ...each, with: 'base' as const }))],
  }
  if (found.kind === 'passed') return { ...passed, ...ran, ...told(baseWarning(found, counts)) }
  const text = guardedText(found, counts)
  if (tamper === 'warn') return { ...passed, ...ran, ...told([text]) }
  return { kind: 'needs-person', text, ...ran, ...told([]) }
}

const NO_COUNTS = { removed: 0, skipped: 0 }

function verdictOf(verification: Verification, { run }: CheckSubject): CheckVerdict {
  switch (verification.kind) {
    case 'none': {
      const text = `done and evidenced; verified is asked for, and there is no verify command for ${run.project} (fleet doctor says how to set one)`
      return { kind: 'needs-person', text }
    }
    case 'passed':
    case 'flaky':
      return { kind: 'passed', proves: 'verified', commands: verification.commands }
    case 'failed': {
      const { commands, text } = verification
      const outcome = { code: 'verify-failed', text: `not verified: ${text}`, details: detailsOf(commands) } as const
      return { kind: 'failed', outcome, commands }
    }
    case 'no-verdict':
    case 'unusable':
      return { kind: 'needs-person', text: `not verified: ${verification.text}`, commands: verification.commands }
  }
}

/** For the next attempt: the output of the try that decided. */
function detailsOf(commands: readonly CommandTry[]): string {
  const last = commands.at(-1)
  if (last === undefined) return ''
  const { failing, log } = last
  return failing === ''
    ? `${commandText(last)} printed nothing.`
    : `From the output of ${commandText(last)}, all of it in ${log}:\n${failing.replace(/^/gm, '    ')}`
}
