import { coderFor, SCRIPT_CODER } from '../coders/registry.ts'
import { assignmentOf } from '../domain/fleet/assignment.ts'
import type { TaskSettings } from '../domain/task/settings.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'

/** A command is a script, and only some coders run scripts: any other coder would ignore it. */
export async function validateCommand(
  settings: TaskSettings,
  { home, named }: { home: Home; named: string },
): Promise<void> {
  if ((settings.command ?? '') === '') return
  const coder = settings.coder || (await defaultCoder(settings, home))
  if ((await coderFor(coder))?.traits.evidence === 'exit') return
  throw new AppError('failed', `${named} is a script for the ${SCRIPT_CODER} coder, and this task goes to ${coder}`, {
    hint: `use --coder ${SCRIPT_CODER}, or say in the description what ${coder} is to do`,
  })
}

/** Loads the configuration lazily: most commands never need it, and loading takes longer than they do. */
async function defaultCoder(settings: TaskSettings, home: Home): Promise<string> {
  const [{ defaultsFor }, { loadConfig }] = await Promise.all([
    import('../config/defaults.ts'),
    import('../config/load.ts'),
  ])
  const { config } = await loadConfig(home.config)
  return assignmentOf(settings, defaultsFor(config, settings.cwd)).coder.value
}
