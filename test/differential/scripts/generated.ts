import { commands } from '../generated/commands.ts'
import { Random } from '../generated/random.ts'
import { world } from '../generated/tasks.ts'
import type { Script, Step } from '../harness.ts'

/** The number of scripts, and of commands in each after its tasks are created. */
const SCRIPTS = 240
const COMMANDS = 5

/** Generated scripts: tasks, then commands from everything fleet serves, chosen by a seed. */
export const scripts: readonly Script[] = Array.from({ length: SCRIPTS }, (_, i) => {
  const random = new Random(i + 1)
  const made = world(random)
  const steps: Step[] = [{ argv: ['import', '-'], stdin: made.jsonl }]
  while (steps.length <= COMMANDS) {
    const envelope = random.chance(0.1) ? { env: { BD_JSON_ENVELOPE: '1' } } : {}
    for (const argv of commands(random, made)) steps.push({ argv, ...envelope })
  }
  // The final state, whatever the commands did.
  steps.push({ argv: ['export'] })
  return { name: `seed ${String(i + 1).padStart(3, '0')}`, steps }
})
