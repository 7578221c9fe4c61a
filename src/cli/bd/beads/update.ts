import { mergedMetadata, SETTINGS_KEY, settingsOf, withSettings } from '../../../domain/task/settings.ts'
import { plain } from '../../../domain/text/plain.ts'
import { absolutePath } from '../../../platform/files/paths.ts'
import { readInput } from '../../../platform/terminal/input.ts'
import { writeErr } from '../../../platform/terminal/output.ts'
import { validateCommand } from '../../../store/validate-command.ts'
import type { Flags } from '../../flags.ts'
import { BdFailure } from '../command.ts'
import { commandIndex } from '../dispatch.ts'
import { inText, metadataOf } from '../parts/issue-input.ts'
import { givenSettings, project, settingsIn } from '../parts/task-file.ts'
import { pair } from '../parts/update-change.ts'
import type { Forwarding } from './forward.ts'
import { forward, forwardCaptured } from './real-bd.ts'
import { split } from './split.ts'
import { VALUE_FLAGS } from './value-flags.ts'

/** `fleet bd update <id> --coder C`: the settings go into the metadata, the other arguments to bd unchanged. */
export async function updateSettings(
  { argv, settings }: { argv: readonly string[]; settings: Flags },
  call: Forwarding,
): Promise<number> {
  const { home } = call.world
  const at = commandIndex(argv)
  const { taken, rest } = split(argv.slice(at + 1), METADATA, VALUE_FLAGS)
  const { ids, flags } = apart(rest)
  const merge = metadataOf({ flags: taken, readInput: (path) => readInput(absolutePath(path, call.cwd)) }, inText)
  const set = taken.all('set-metadata').map(pair)
  const unset = taken.all('unset-metadata')
  if (merge !== undefined && set.length + unset.length > 0) {
    throw new BdFailure('cannot combine --metadata with --set-metadata or --unset-metadata', { json: 'text' })
  }
  const given = await givenSettings(
    { flags: settings, home, cwd: call.cwd },
    merge === undefined ? {} : settingsIn(merge, inText),
  )
  const words = { ...merge, ...Object.fromEntries(set) }
  if (ids.length === 0) throw new BdFailure('no issue ID specified', { json: 'text', hint: 'name the task to change' })
  let code = 0
  for (const id of ids) {
    const match = await call.queue.resolve(id)
    const task = match.kind === 'found' ? await call.queue.get(match.id) : undefined
    if (task === undefined) throw new BdFailure(`issue ${id} not found`, { json: 'text' })
    const merged: Record<string, unknown> = { ...mergedMetadata(task.metadata, words) }
    for (const key of unset) delete merged[key]
    const metadata = withSettings(merged, given)
    await validateCommand(settingsOf(metadata), { home, named: '--command' })
    const { [SETTINGS_KEY]: fleet } = metadata
    const gone = [...unset, ...(fleet === undefined ? [SETTINGS_KEY] : [])].map((key) => `--unset-metadata=${key}`)
    const kept = fleet === undefined ? words : { ...words, [SETTINGS_KEY]: fleet }
    const [first, ...then] = [
      gone,
      Object.keys(kept).length === 0 ? [] : [`--metadata=${JSON.stringify(kept)}`],
    ].filter((each) => each.length > 0)
    const change = [...argv.slice(0, at), 'update', task.id]
    const how = { cwd: call.cwd, env: call.env }
    let ended = await forward(call.file, [...change, ...flags, ...(first ?? [])], how)
    // bd refuses both flags in one call.
    for (const more of ended === 0 ? then : []) ended = await silently(call.file, [...change, ...more], how)
    code = ended || code
    if (ended === 0) project({ home, warn: (text) => writeErr(`${plain(text)}\n`) }, { ...task, metadata })
  }
  return code
}

const METADATA = ['metadata', 'set-metadata', 'unset-metadata'].map((name) => ({ name, value: true }))

async function silently(file: string, argv: readonly string[], how: Parameters<typeof forward>[2]): Promise<number> {
  const { code, err } = await forwardCaptured(file, argv, how)
  if (code !== 0 && err !== '') writeErr(err)
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
