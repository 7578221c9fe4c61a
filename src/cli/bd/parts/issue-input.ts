import { type Metadata, STATUSES } from '../../../domain/task/task.ts'
import { rfc3339 } from '../../../domain/task/time.ts'
import { parseTimeExpression } from '../../../domain/task/time-expression.ts'
import { DEPTH_LIMIT, isDeeperThan } from '../../../domain/text/json-depth.ts'
import { ownEntry } from '../../../domain/text/own-entry.ts'
import type { Flags } from '../../flags.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { statusesIfUnknown } from './configured.ts'
import { readFileText } from './text-input.ts'

/** How the command reports bad input: bd's create prints text even with --json, its update prints JSON. */
export type Refuse = (message: string) => BdFailure

export const inText: Refuse = (message) => new BdFailure(message, { json: 'text' })
export const inJson: Refuse = (message) => new BdFailure(message)

export function priorityOf(text: string, refuse: Refuse): number {
  const match = /^\s*[Pp]?\s*\+?(\d+)/.exec(text)
  const priority = match === null ? -1 : Number(match[1])
  if (priority >= 0 && priority <= 4) return priority
  throw refuse(`invalid priority ${JSON.stringify(text)} (expected 0-4 or P0-P4, not words like high/medium/low)`)
}

const TYPE_ALIASES: Readonly<Record<string, string>> = {
  enhancement: 'feature',
  feat: 'feature',
  dec: 'decision',
  adr: 'decision',
  investigation: 'spike',
  timebox: 'spike',
  'user-story': 'story',
  user_story: 'story',
  ms: 'milestone',
}

export function typeOf(text: string): string {
  return ownEntry(TYPE_ALIASES, text.toLowerCase()) ?? text
}

export async function statusOf(call: BdCall, text: string, flag = 'status'): Promise<string> {
  if ((await statusesIfUnknown(call, text)) === undefined) return text
  throw new BdFailure(
    `invalid ${flag} ${JSON.stringify(text)} (built-in: ${STATUSES.join(', ')}; or configure custom statuses via 'bd config set status.custom')`,
  )
}

/** Trimmed, without empty and repeated labels. Warns about a label with a space: it is likely a mistake. */
export function labelsOf(call: BdCall, given: readonly string[]): string[] {
  const labels = [...new Set(given.map((label) => label.trim()).filter((label) => label !== ''))]
  warnOfSpaces(call, labels)
  return labels
}

const LONGEST_LABEL = 255

export function checkLabelLength(label: string): void {
  const length = [...label].length
  if (length <= LONGEST_LABEL) return
  throw new BdFailure(`field exceeds maximum length: label is ${length} characters (max ${LONGEST_LABEL})`)
}

export function warnOfSpaces(call: BdCall, labels: readonly string[]): void {
  const spaced = labels.filter((label) => /\s/.test(label))
  if (spaced.length === 0 || call.quiet) return
  for (const label of spaced) call.warn(`⚠ Stored ${JSON.stringify(label)} as ONE label — it contains a space.`)
  call.warn('  If you meant several labels, separate them with commas (a,b) or repeat the flag.')
}

export function estimateOf(flags: Flags, refuse: Refuse): number | undefined {
  const estimate = flags.number('estimate')
  if (estimate !== undefined && estimate < 0) throw refuse('estimate must be a non-negative number of minutes')
  return estimate
}

const TIME_EXAMPLES = { due: '+6h', defer: '+1h' }

/** undefined: not given; null: given as empty, which clears it. */
export function timeOf(call: BdCall, flag: 'due' | 'defer', refuse: Refuse): string | null | undefined {
  const text = call.flags.text(flag)
  if (text === undefined) return undefined
  if (text === '') return null
  const at = parseTimeExpression(text, call.now)
  if (at !== undefined) return rfc3339(at.getTime())
  const examples = `${TIME_EXAMPLES[flag]}, tomorrow, next monday, 2025-01-15`
  throw refuse(`invalid --${flag} format ${JSON.stringify(text)}. Examples: ${examples}`)
}

export function isPast(call: BdCall, time: string): boolean {
  return Date.parse(time) < call.now.getTime()
}

export function warnPastDefer(call: BdCall, time: string, flag = 'defer'): void {
  const local = new Date(time)
  const two = (n: number) => String(n).padStart(2, '0')
  const day = `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`
  const shown = `${day} ${two(local.getHours())}:${two(local.getMinutes())}`
  call.warn(`! Defer date "${shown}" is in the past. Issue will appear in bd ready immediately.`)
  call.warn(`  Did you mean a future date? Use --${flag}=+1h or --${flag}=tomorrow`)
}

/** Only an object can be merged and can hold fleet's own settings, so other JSON is refused; bd's create takes it. */
export function metadataOf(call: Pick<BdCall, 'flags' | 'readInput'>, refuse: Refuse): Metadata | undefined {
  const text = call.flags.text('metadata')
  if (text === undefined) return undefined
  const json = text.startsWith('@') ? metadataFile(call, text.slice(1), refuse) : text
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw refuse('invalid JSON in --metadata: must be valid JSON')
  }
  if (isDeeperThan(value, DEPTH_LIMIT)) throw refuse(`--metadata is nested more than ${DEPTH_LIMIT} levels deep`)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw refuse('--metadata must be a JSON object')
  return value as Metadata
}

function metadataFile(call: Pick<BdCall, 'readInput'>, path: string, refuse: Refuse): string {
  const read = readFileText(call, path)
  if (read.problem !== undefined) throw refuse(`failed to read metadata file ${path}: ${read.problem}`)
  return read.text
}
