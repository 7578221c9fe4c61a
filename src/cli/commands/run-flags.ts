import { loadConfig } from '../../config/load.ts'
import type { RunFlags } from '../../domain/fleet/run-flags.ts'
import { nearest } from '../../domain/text/nearest.ts'
import { AppError } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'
import type { Flag, Flags } from '../flags.ts'

export const RUN_FLAGS: readonly Flag[] = [
  { name: 'coder', kind: 'text', value: 'name', help: 'the coder of tasks that name none' },
  { name: 'model', kind: 'text', value: 'name', help: 'the model of tasks that name none' },
  { name: 'max', kind: 'number', value: 'N', least: 1, most: 1000, help: 'agents at once, instead of max_concurrent' },
  {
    name: 'once',
    kind: 'switch',
    help: 'end when nothing is running, ready, or waiting for a retry; exit 1 if a task ended blocked or could not be done',
  },
  { name: 'quiet', kind: 'switch', help: 'say nothing but errors; fleet log has it all' },
]

/** The flags of `fleet run`, checked before anything is started. */
export async function runFlags(home: Home, flags: Flags): Promise<RunFlags> {
  const given = runFlagsIn(flags)
  const { coder, model } = given
  if (model?.trim() === '') {
    throw new AppError('usage', '--model is empty', { hint: 'leave it out to use the model of the configuration' })
  }
  home.require()
  const { coderNames: known } = await loadConfig(home.config)
  if (coder !== undefined && !known.includes(coder)) {
    const [near] = nearest(coder, known, 1)
    throw new AppError('usage', `unknown coder ${JSON.stringify(coder)}; known coders: ${known.join(', ')}`, {
      ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
    })
  }
  return given
}

function runFlagsIn(flags: Flags): RunFlags {
  const [coder, model, max] = [flags.text('coder'), flags.text('model'), flags.number('max')]
  return {
    ...(coder === undefined ? {} : { coder }),
    ...(model === undefined ? {} : { model }),
    ...(max === undefined ? {} : { max }),
    ...(flags.on('once') ? { once: true } : {}),
  }
}
