import { contextPct, tokensOf } from '../../../domain/run/figures.ts'
import { isPassed } from '../../../domain/run/outcome.ts'
import type { Receipt } from '../../../domain/run/receipt.ts'
import { elapsed, moment } from '../../../domain/text/moment.ts'
import { pluralize } from '../../../domain/text/pluralize.ts'
import type { Field } from '../fields.ts'
import { count } from '../figures.ts'
import type { Line } from '../painted.ts'
import { cut } from '../width.ts'
import { checkParts } from './checks.ts'
import { fitted, type Part } from './fitted.ts'
import { landingParts } from './landing.ts'
import { scopeParts } from './scope.ts'
import { usageText } from './usage.ts'
import { few, TEXT, words } from './words.ts'
import { changeParts, didParts } from './work.ts'

export interface ShownReceipt {
  readonly receipt: Receipt
  readonly title: string
  readonly now: number
}

export interface Screen {
  readonly columns: number
  /** Absent: the lines are not for a screen. */
  readonly rows?: number
  /** Lines that stand below it. */
  readonly below?: number
}

const MOST = { warnings: 10, models: 4, parts: 4, altered: 4 }
/** A smaller terminal scrolls. One line is for the prompt of the shell. */
const LEAST_ROWS = 40
const PROMPT = 1

/** On one screen. Everything on a receipt comes from agents and their programs, or may do so. */
export function receiptLines({ receipt, title, now }: ShownReceipt, { columns, rows = 0, below = 0 }: Screen): Line[] {
  const { task, attempt, outcome } = receipt
  const head: Line[] = [
    [{ text: cut(`${words(task)}  ${words(title)}`, columns), style: 'bold' }],
    [{ text: `attempt ${attempt}: ${outcome.code}`, style: isPassed(outcome.code) ? 'green' : 'yellow' }],
    [],
  ]
  const parts = [
    ...whoFields(receipt, now),
    ...givenFields(receipt),
    ...didParts(receipt),
    ...changeParts(receipt),
    ...scopeParts(receipt, now),
    ...saidParts(receipt),
    ...(receipt.checks ?? []).flatMap(checkParts),
    ...spentFields(receipt),
    ...trailFields(receipt),
    ...few(receipt.warnings, MOST.warnings).map(
      (each): Part => ({ label: 'warning', text: words(each), style: 'yellow', least: 2 }),
    ),
    verdictPart(receipt),
    ...reviewParts(receipt, now),
    ...landingParts(receipt.landing, now),
  ]
  const room = Math.max(LEAST_ROWS, rows) - PROMPT - below - head.length
  return [...head, ...fitted(parts, { width: columns, rows: room })]
}

function whoFields(receipt: Receipt, now: number): Field[] {
  const { coder, coder_version: version, lane, payer, model, served_models: served } = receipt
  const about = [
    version === null ? 'version unknown' : version,
    ...(lane === undefined || lane === coder ? [] : [`lane ${lane}`]),
    ...(payer === null ? [] : [`paid by ${payer}`]),
  ]
  const answered = served.length === 0 ? 'none answered' : `answered by ${few(served, MOST.models).join(', ')}`
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

function saidParts({ said, claim, question }: Receipt): Part[] {
  const claimed = claim === null ? 'nothing' : `${claim.how === 'exit' ? 'by its exit: ' : ''}${claim.summary}`
  return [
    ...(said == null ? [] : [{ label: 'said', text: words(said, TEXT), least: 1 }]),
    { label: 'claimed', text: words(claimed, TEXT), least: 1 },
    ...(question === null ? [] : [{ label: 'asked', text: words(question, TEXT), style: 'yellow', least: 1 } as const]),
  ]
}

function spentFields({ usage, context_peak: peak, context_window: window }: Receipt): Field[] {
  const pct = contextPct({ contextPeak: peak, contextWindow: window })
  const context =
    peak === null ? '' : `, context ${count(peak)}${pct === undefined ? '' : ` (${pct}% of ${count(window ?? 0)})`}`
  const isEstimate = usage.estimated && tokensOf(usage) !== undefined
  return [{ label: 'tokens', text: `${usageText(usage)}${context}`, ...(isEstimate && { aside: ' (an estimate)' }) }]
}

/** The processes and files that it left behind, and the state of its records. */
function trailFields({ leftovers, altered = [] }: Receipt): Field[] {
  const killed = pluralize(leftovers.length, 'process')
  return [
    ...(leftovers.length === 0
      ? []
      : [{ label: 'left over', text: `${killed} that had to be killed`, style: 'yellow' as const }]),
    ...(altered.length === 0
      ? []
      : [{ label: 'altered', text: words(few(altered, MOST.altered).join(', ')), style: 'red' as const }]),
  ]
}

function verdictPart({ outcome, level }: Receipt): Part {
  const isDone = isPassed(outcome.code)
  const text = `${outcome.code} at level ${level}${isDone ? '' : `: ${outcome.text}`}`
  return { label: 'verdict', text: words(text, TEXT), style: isDone ? 'green' : 'yellow', least: 3 }
}

function reviewParts({ review }: Receipt, now: number): Part[] {
  if (review === undefined) return []
  const { decision, by, at, note } = review
  const text = `${decision} by ${by} at ${moment(Date.parse(at), now)}${note === null ? '' : `, with the note: ${note}`}`
  return [{ label: 'review', text: words(text, TEXT), style: decision === 'accepted' ? 'green' : 'yellow', least: 2 }]
}
