import { SETTINGS_KEY, settingsOf, withSettings } from '../../../domain/settings.ts'
import { forward } from '../../../platform/forward.ts'
import { writeErr } from '../../../platform/output.ts'
import { checkCommand } from '../../../store/check-command.ts'
import type { Flags } from '../../flags.ts'
import { plain } from '../../render/plain.ts'
import { BdFailure } from '../command.ts'
import { commandIndex } from '../dispatch.ts'
import { givenSettings, project } from '../task-file.ts'
import type { Forwarding } from './forward.ts'
import { VALUE_FLAGS } from './value-flags.ts'

/** `fleet bd update <id> --coder C`: the settings go into the metadata, the rest of the line to bd as it is. */
export async function updateSettings(
  { argv, settings }: { argv: readonly string[]; settings: Flags },
  call: Forwarding,
): Promise<number> {
  const { home } = call.world
  const given = await givenSettings({ flags: settings, home, cwd: call.cwd })
  const at = commandIndex(argv)
  const { ids, flags } = apart(argv.slice(at + 1))
  if (ids.length === 0) throw new BdFailure('no issue ID specified', { json: 'text', hint: 'name the task to change' })
  let code = 0
  for (const id of ids) {
    const match = await call.queue.resolve(id)
    const task = match.kind === 'found' ? await call.queue.get(match.id) : undefined
    if (task === undefined) throw new BdFailure(`issue ${id} not found`, { json: 'text' })
    const metadata = withSettings(task.metadata, given)
    await checkCommand(settingsOf(metadata), { home, named: '--command' })
    const fleet = metadata[SETTINGS_KEY]
    const told =
      fleet === undefined
        ? `--unset-metadata=${SETTINGS_KEY}`
        : `--metadata=${JSON.stringify({ [SETTINGS_KEY]: fleet })}`
    const line = [...argv.slice(0, at), 'update', task.id, ...flags, told]
    code = (await forward(call.file, line, { cwd: call.cwd, env: call.env })) || code
    if (code === 0) project({ home, warn: (text) => writeErr(`${plain(text)}\n`) }, { ...task, metadata })
  }
  return code
}

function apart(argv: readonly string[]): { ids: readonly string[]; flags: readonly string[] } {
  const ids: string[] = []
  const flags: string[] = []
  const words = [...argv]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') ids.push(...words.splice(0))
    else if (!word.startsWith('-')) ids.push(word)
    else flags.push(word, ...(VALUE_FLAGS.has(word) ? words.splice(0, 1) : []))
  }
  return { ids, flags }
}
