import { commands } from '../generated/commands.ts'
import { Random } from '../generated/random.ts'
import { world } from '../generated/tasks.ts'
import type { Script, Step } from '../harness.ts'

/** How many scripts there are, and how many commands each has after its tasks were made. */
const SCRIPTS = 240
const COMMANDS = 5

/** Scripts that nobody wrote: tasks, and then commands over the whole served language, chosen by a seed. */
export const scripts: readonly Script[] = Array.from({ length: SCRIPTS }, (_, i) => {
  const random = new Random(i + 1)
  const made = world(random)
  const steps: Step[] = [{ argv: ['import', '-'], stdin: made.jsonl }]
  while (steps.length <= COMMANDS) {
    const envelope = random.chance(0.1) ? { env: { BD_JSON_ENVELOPE: '1' } } : {}
    for (const argv of commands(random, made)) steps.push({ argv, ...envelope })
  }
  // In the end all that there is, whatever the commands did.
  steps.push({ argv: ['export'] })
  return { name: `seed ${String(i + 1).padStart(3, '0')}`, steps }
})
