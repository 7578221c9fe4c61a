import type { ChangedLines } from '../../../domain/evidence/changed-lines.ts'
import { WEAKNESS_TEXTS } from '../../../domain/evidence/weak-change.ts'
import { type Denial, denialText } from '../../../domain/run/denial.ts'
import type { Receipt } from '../../../domain/run/receipt.ts'
import type { WorkDone } from '../../../domain/run/work-done.ts'
import { pluralize } from '../../../domain/text/pluralize.ts'
import type { Part } from './fitted.ts'
import { few, list, words } from './words.ts'

const MOST = {
  tools: 10,
  commands: 6,
  subagents: 5,
  denied: 3,
  files: 8,
  commits: 4,
  refs: 4,
  artifacts: 4,
  weak: 4,
  untraced: 4,
}

/** Columns of a path with a figure behind it. */
const PATH = 50

/** Its tools, commands and sub-agents, and the calls that its permissions denied. */
export function didParts({ did, evidence, denied }: Receipt): Part[] {
  const called = pluralize(evidence.tool_calls, 'tool call')
  const refused = denied === undefined ? [] : deniedParts(denied)
  if (did === undefined) return [{ label: 'did', text: called }, ...refused]
  const { tools, commands, command_calls: calls, subagents, subagent_calls: started } = did
  const named = tools.map(
    ({ name, calls: times, failed }) => `${name} ${times}${failed === 0 ? '' : ` (${failed} failed)`}`,
  )
  // The last ones say how it checked its work.
  const last = calls.slice(-MOST.commands).map(({ call, failed }) => words(`${failed ? '(failed) ' : ''}${call}`))
  return [
    { label: 'did', text: words(named.length === 0 ? called : `${called}: ${few(named, MOST.tools).join(', ')}`) },
    { label: 'commands', entries: last, count: commands, keep: 'last', rest: 'earlier', least: 1 },
    list('sub-agents', started.map(subagentText), { most: MOST.subagents, count: subagents }),
    ...refused,
  ]
}

function deniedParts({ count, calls }: { count: number; calls: readonly Denial[] }): Part[] {
  const named = calls.map(denialText)
  return [
    { label: 'denied', text: pluralize(count, 'call'), style: 'yellow' },
    list('', named, { most: MOST.denied, count }),
  ]
}

function subagentText({ tool, what, failed, tool_calls: calls }: WorkDone['subagent_calls'][number]): string {
  const named = what ?? tool
  if (failed) return `not started: ${named}`
  return calls === null ? `its tool calls are unknown: ${named}` : `${pluralize(calls, 'tool call')}: ${named}`
}

/** The changes that fleet itself found: those that count for it, and those that do not. */
export function changeParts({ evidence }: Receipt): Part[] {
  const { files_changed: files, files_changed_count: all, lines, commits, refs = [], artifacts } = evidence
  if (files === null) return [{ label: 'changed', text: 'not looked at: its exit decides' }]
  const count = all ?? files.length
  const made = (commits ?? []).map((id) => id.slice(0, 12))
  return [
    { label: 'changed', text: `${pluralize(count, 'file')}, ${pluralize(made.length, 'commit')}${sumText(lines)}` },
    list('', files.map(fileText(lines)), { most: MOST.files, count }),
    list('commits', made, { most: MOST.commits }),
    list('refs', refs, { most: MOST.refs }),
    list('artifacts', artifacts ?? [], { most: MOST.artifacts }),
    ...askedParts(evidence),
    ...uncountedParts(evidence),
  ]
}

function sumText(lines: ChangedLines | undefined): string {
  if (lines === undefined) return ''
  const { added, removed, uncounted } = lines
  return `, +${added} -${removed} lines${uncounted === 0 ? '' : ` (${uncounted} not counted)`}`
}

function fileText(lines: ChangedLines | undefined): (path: string) => string {
  const byPath = new Map(lines?.files.map((file) => [file.path, file]))
  return (path) => {
    const { added = null, removed = null } = byPath.get(path) ?? {}
    return added === null ? path : `${words(path, PATH)}  +${added} -${removed}`
  }
}

function askedParts({ asked }: Receipt['evidence']): Part[] {
  if (asked === undefined) return []
  const text = words(`asked for ${asked.for}: ${asked.is_met ? 'it is there' : 'nothing there is traced to it'}`)
  return [{ label: 'evidence', text, style: asked.is_met ? 'green' : 'yellow' }]
}

/** Changes that are no evidence. */
function uncountedParts({ weak = [], untraced }: Receipt['evidence']): Part[] {
  const why = weak.map(({ path, why }) => `${words(path, 80)} ${WEAKNESS_TEXTS[why]}`)
  const weaknesses = list('weak', why, { most: MOST.weak, style: 'yellow' })
  if (untraced === undefined) return [weaknesses]
  const { files, commits, refs = [], count } = untraced
  const text = `${pluralize(count, 'change')} that nothing traces to a run`
  return [
    weaknesses,
    { label: 'untraced', text, style: 'yellow' },
    list('', [...files, ...commits, ...refs], { most: MOST.untraced, count }),
  ]
}
