import { contextPct, tokensOf } from '../../domain/run/figures.ts'
import { isPassed } from '../../domain/run/outcome.ts'
import type { CheckOnReceipt, CommandOnReceipt, Receipt } from '../../domain/run/receipt.ts'
import type { WorkDone } from '../../domain/run/work-done.ts'
import { elapsed, moment } from '../../domain/text/moment.ts'
import { plain, plainLine } from '../../domain/text/plain.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import type { DiffSize } from '../../views/review/diff-size.ts'
import { type Field, fieldLines, LABEL } from './fields.ts'
import { cost, count } from './figures.ts'
import type { Line } from './painted.ts'
import { cut } from './width.ts'

export interface ShownReceipt {
  readonly receipt: Receipt
  readonly title: string
  readonly now: number
  /** The lines of its diff; undefined: there is none, or it is not known. */
  readonly size?: DiffSize | undefined
}

/** The most entries of a list, and columns of a text: the receipt fits on a screen, and its JSON has the rest. */
const MOST = {
  commands: 6,
  subagents: 5,
  files: 8,
  commits: 4,
  artifacts: 4,
  warnings: 10,
  tools: 10,
  parts: 4,
  checked: 4,
  tail: 5,
  untraced: 4,
}
const TEXT = 400
const MOST_TAIL = 4000
const ENTRY = 160

/** Everything on a receipt comes from agents and their programs, or may do so. */
export function receiptLines({ receipt, title, now, size }: ShownReceipt, width: number): Line[] {
  const { task, attempt, outcome } = receipt
  const fields = [
    ...whoFields(receipt, now),
    ...givenFields(receipt),
    ...didFields(receipt, width),
    ...changeFields(receipt, { size, width }),
    ...saidFields(receipt),
    ...(receipt.checks ?? []).flatMap((each) => checkFields(each, width)),
    ...spentFields(receipt),
    ...trailFields(receipt),
    ...few(receipt.warnings, MOST.warnings).map(
      (each): Field => ({ label: 'warning', text: words(each), style: 'yellow' }),
    ),
    verdictField(receipt),
    ...reviewFields(receipt, now),
  ]
  return [
    [{ text: cut(`${words(task)}  ${words(title)}`, width), style: 'bold' }],
    [{ text: `attempt ${attempt}: ${outcome.code}`, style: isPassed(outcome.code) ? 'green' : 'yellow' }],
    [],
    ...fields.flatMap((field) => fieldLines(field, width)),
  ]
}

function whoFields(receipt: Receipt, now: number): Field[] {
  const { coder, coder_version: version, lane, payer, model, served_models: served } = receipt
  const about = [
    version === null ? 'version unknown' : version,
    ...(lane === undefined || lane === coder ? [] : [`lane ${lane}`]),
    ...(payer === null ? [] : [`paid by ${payer}`]),
  ]
  const answered = served.length === 0 ? 'none answered' : `answered by ${few(served, 4).join(', ')}`
  const phases = (receipt.phases ?? []).map(({ name, ms }) => `${name} ${elapsed(ms)}`)
  const started = moment(Date.parse(receipt.started_at), now)
  const how = phases.length === 0 ? '' : ` (${phases.join(', ')})`
  return [
    { label: 'coder', text: words(`${coder}, ${about.join(', ')}`) },
    { label: 'model', text: words(`${model ?? "the coder's own"}, ${answered}`) },
    { label: 'time', text: `${started}, ${elapsed(receipt.duration_ms)}${how}` },
  ]
}

function givenFields(receipt: Receipt): Field[] {
  const { given, session } = receipt
  if (given === undefined) return []
  const sizes = Object.entries(given.prompt).sort(([, one], [, other]) => other - one)
  const parts = few(
    sizes.map(([name, size]) => `${name} ${count(size)}`),
    MOST.parts,
  )
  const bytes =
    given.prompt_bytes === null ? 'a prompt of unknown size' : `a prompt of ${count(given.prompt_bytes)} bytes`
  const resumed = given.resumes === null ? 'a new session' : `session ${given.resumes} resumed`
  return [
    { label: 'given', text: words(parts.length === 0 ? bytes : `${bytes}: ${parts.join(', ')}`) },
    {
      label: '',
      text: words(`permissions ${given.permissions ?? 'unknown'}, ${session === null ? 'no session' : resumed}`),
    },
    { label: 'cwd', text: words(given.cwd) },
    ...worktreeFields(receipt),
  ]
}

function worktreeFields({ worktree }: Receipt): Field[] {
  if (worktree === undefined) return []
  const { branch, base, head, kept } = worktree
  const state = head === null ? 'its work could not be kept there' : head === base ? 'no commit' : head.slice(0, 10)
  const text = `${branch}, from ${base.slice(0, 10)} to ${state}${kept ? ', committed by fleet' : ''}`
  return [{ label: 'branch', text: words(text) }]
}

function didFields({ did, evidence, denied }: Receipt, width: number): Field[] {
  const called = pluralize(evidence.tool_calls, 'tool call')
  const refused: Field[] =
    denied === undefined ? [] : [{ label: 'denied', text: pluralize(denied.count, 'call'), style: 'yellow' }]
  if (did === undefined) return [{ label: 'did', text: called }, ...refused]
  const { tools, commands, command_calls: calls, subagents, subagent_calls: started } = did
  const named = tools.map(
    ({ name, calls: times, failed }) => `${name} ${times}${failed === 0 ? '' : ` (${failed} failed)`}`,
  )
  // The last ones say how it checked its work.
  const shown = calls.slice(-MOST.commands)
  const earlier = commands - shown.length
  return [
    { label: 'did', text: words(named.length === 0 ? called : `${called}: ${few(named, MOST.tools).join(', ')}`) },
    ...listed(width, 'commands', [
      ...(earlier > 0 ? [`… ${earlier} earlier`] : []),
      ...shown.map(({ call, failed }) => `${failed ? '(failed) ' : ''}${call}`),
    ]),
    ...listed(width, 'sub-agents', [
      ...started.slice(0, MOST.subagents).map(subagentText),
      ...more(subagents - Math.min(started.length, MOST.subagents)),
    ]),
    ...refused,
  ]
}

function subagentText({ tool, what, failed, tool_calls: calls }: WorkDone['subagent_calls'][number]): string {
  const named = what ?? tool
  if (failed) return `not started: ${named}`
  return calls === null ? `its tool calls are unknown: ${named}` : `${pluralize(calls, 'tool call')}: ${named}`
}

function changeFields({ evidence }: Receipt, { size, width }: { size: DiffSize | undefined; width: number }): Field[] {
  const { files_changed: files, files_changed_count: all, commits, artifacts, untraced } = evidence
  const lines = size === undefined ? '' : sizeText(size)
  if (files === null) return [{ label: 'changed', text: 'not looked at: its exit decides' }]
  return [
    {
      label: 'changed',
      text: `${pluralize(all ?? files.length, 'file')}, ${pluralize(commits?.length ?? 0, 'commit')}${lines}`,
    },
    ...listed(width, '', [
      ...files.slice(0, MOST.files),
      ...more((all ?? files.length) - Math.min(files.length, MOST.files)),
    ]),
    ...listed(
      width,
      'commits',
      few(
        (commits ?? []).map((id) => id.slice(0, 12)),
        MOST.commits,
      ),
    ),
    ...listed(width, 'artifacts', few(artifacts ?? [], MOST.artifacts)),
    ...(untraced === undefined
      ? []
      : [
          {
            label: 'untraced',
            text: `${pluralize(untraced.count, 'change')} that nothing traces to a run`,
            style: 'yellow' as const,
          },
        ]),
    ...listed(width, '', few([...(untraced?.files ?? []), ...(untraced?.commits ?? [])], MOST.untraced)),
  ]
}

function sizeText({ added, removed, isOwn }: DiffSize): string {
  return isOwn ? `, +${added} -${removed} lines` : `; its checkout differs by +${added} -${removed} lines now`
}

function saidFields({ said, claim, question }: Receipt): Field[] {
  return [
    ...(said == null ? [] : [{ label: 'said', text: words(said, TEXT) }]),
    ...(claim === null
      ? [{ label: 'claimed', text: 'nothing' }]
      : [
          {
            label: 'claimed',
            text: words(claim.how === 'exit' ? `by its exit: ${claim.summary}` : claim.summary, TEXT),
          },
        ]),
    ...(question === null ? [] : [{ label: 'asked', text: words(question, TEXT), style: 'yellow' as const }]),
  ]
}

function checkFields({ name, verdict, text, commands = [] }: CheckOnReceipt, width: number): Field[] {
  const style = verdict === 'passed' ? ('green' as const) : ('yellow' as const)
  return [
    { label: 'checked', text: words(`${name} ${verdict}${text === null ? '' : `: ${text}`}`, TEXT), style },
    ...listed(width, '', commands.slice(-MOST.checked).flatMap(commandTexts)),
  ]
}

/** The command, its end and its time; of a failed one, the end of its output. */
function commandTexts({ name, command, exit, end, duration_ms: ms, failing }: CommandOnReceipt): string[] {
  const how = exit === null ? end : `exit ${exit}`
  const tail = plain((failing ?? '').slice(-MOST_TAIL)).split('\n')
  return [
    `${how}, ${elapsed(ms)}: ${name === 'verify' ? '' : `${name}: `}${command}`,
    ...tail
      .filter((line) => line.trim() !== '')
      .slice(-MOST.tail)
      .map((line) => `  ${line.trimEnd()}`),
  ]
}

function spentFields({ usage, context_peak: peak, context_window: window }: Receipt): Field[] {
  const total = tokensOf(usage)
  const parts = [
    ['input', usage.input],
    ['cached', usage.cacheRead],
    ['written to the cache', usage.cacheWrite],
    ['output', usage.output],
  ].flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${count(value)}`] : []))
  const spent = total === undefined ? 'unknown' : `${count(total)} (${parts.join(', ')})`
  const money = cost({ costUsd: usage.cost_usd })
  const pct = contextPct({ contextPeak: peak, contextWindow: window })
  const context =
    peak === null ? '' : `, context ${count(peak)}${pct === undefined ? '' : ` (${pct}% of ${count(window ?? 0)})`}`
  return [
    {
      label: 'tokens',
      text: `${spent}${money === '-' ? ', cost unknown' : `, ${money}`}${context}`,
      ...(usage.estimated && total !== undefined ? { aside: ' (an estimate)' } : {}),
    },
  ]
}

/** What it left behind, and what became of its records. */
function trailFields({ leftovers, altered = [] }: Receipt): Field[] {
  const killed = pluralize(leftovers.length, 'process')
  return [
    ...(leftovers.length === 0
      ? []
      : [{ label: 'left over', text: `${killed} that had to be killed`, style: 'yellow' as const }]),
    ...(altered.length === 0
      ? []
      : [{ label: 'altered', text: words(few(altered, 4).join(', ')), style: 'red' as const }]),
  ]
}

function verdictField({ outcome, level }: Receipt): Field {
  const isDone = isPassed(outcome.code)
  const text = `${outcome.code} at level ${level}${isDone ? '' : `: ${outcome.text}`}`
  return { label: 'verdict', text: words(text, TEXT), style: isDone ? 'green' : 'yellow' }
}

function reviewFields({ review }: Receipt, now: number): Field[] {
  if (review === undefined) return []
  const { decision, by, at, note } = review
  const text = `${decision} by ${by} at ${moment(Date.parse(at), now)}${note === null ? '' : `, with the note: ${note}`}`
  return [{ label: 'review', text: words(text, TEXT), style: decision === 'accepted' ? 'green' : 'yellow' }]
}

/** One entry on each line, cut where it is longer. */
function listed(width: number, label: string, entries: readonly string[]): Field[] {
  return entries.map((entry, i) => ({
    label: i === 0 ? label : '',
    text: cut(words(entry), Math.max(20, width - LABEL)),
  }))
}

function few(entries: readonly string[], most: number): string[] {
  return [...entries.slice(0, most), ...more(entries.length - most)]
}

function more(left: number): string[] {
  return left > 0 ? [`… ${left} more`] : []
}

function words(text: string, most = ENTRY): string {
  return cut(plainLine(text.slice(0, 20 * most)).trim(), most)
}
