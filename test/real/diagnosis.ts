import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ledger } from '../../src/ports/ledger.ts'

const CHARACTERS = 3000
const RUNS = 5

/** Why a test may have timed out: the last output of its supervisor and its agents. */
export function diagnosis({ ledger, home, output }: { ledger: Ledger; home: string; output: string }): string {
  const runs = [...ledger.openRuns(), ...ledger.recentlyEnded(RUNS)]
  const attempts = runs.flatMap(({ task, attempt, outcome }) => {
    const folder = join(home, 'tasks', task, 'attempts', String(attempt))
    const files = ['stdout.jsonl', 'stderr.log'].map((name) => `-- ${name}\n${endOf(join(folder, name))}`)
    return [`-- ${task}, attempt ${attempt}: ${JSON.stringify(outcome)}`, ...files]
  })
  return [JSON.stringify(ledger.lanes()), ...attempts, `-- supervisor\n${endOf(output)}`].join('\n')
}

function endOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(-CHARACTERS)
  } catch (error) {
    return String(error)
  }
}
