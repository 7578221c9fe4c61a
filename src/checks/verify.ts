import { join } from 'node:path'
import type { CheckVerdict } from '../domain/run/check-result.ts'
import { type CommandTry, commandText } from '../domain/verify/verification.ts'
import type { Check, CheckSubject } from '../ports/checks.ts'
import type { Verification, Verifier } from '../ports/verifier.ts'

/** Runs the project's own commands on what the agent has left, after it has gone. */
export function verifyCheck(verifier: Verifier): Check {
  return {
    name: 'verify',
    // Asked for `verified` without a command, a person must be told why.
    appliesTo: (subject) => subject.closeAt === 'verified' || verifier.hasCommands(whatOf(subject)),
    async run(subject, signal) {
      const { run, folder } = subject
      const order = {
        ...whatOf(subject),
        subject: run.id,
        task: run.task,
        folder: join(folder, 'checks'),
        cwd: run.cwd,
        changed: (path: string) => subject.changes?.files.some((file) => path.endsWith(`/${file}`)) === true,
      }
      return verdictOf(await verifier.verify(order, signal), subject)
    },
  }
}

function whatOf({ run, verify }: CheckSubject): { project: string; command: string | undefined } {
  return { project: run.project, command: verify }
}

function verdictOf(verification: Verification, { run }: CheckSubject): CheckVerdict {
  switch (verification.kind) {
    case 'none': {
      const text = `done and evidenced; verified is asked for, and there is no verify command for ${run.project} (fleet doctor says how to set one)`
      return { kind: 'needs-person', text }
    }
    case 'passed':
      return { kind: 'passed', proves: 'verified', commands: verification.commands }
    case 'flaky':
      return { kind: 'passed', proves: 'verified', commands: verification.commands, warnings: [verification.text] }
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
