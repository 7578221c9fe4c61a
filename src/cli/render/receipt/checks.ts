import type { CheckOnReceipt, CommandOnReceipt } from '../../../domain/run/receipt.ts'
import { elapsed } from '../../../domain/text/moment.ts'
import { plain } from '../../../domain/text/plain.ts'
import { pluralize } from '../../../domain/text/pluralize.ts'
import { type GuardedFindings, lostText } from '../../../domain/verify/guarded-text.ts'
import type { Style } from '../painted.ts'
import type { Listing, Part } from './fitted.ts'
import { usageText } from './usage.ts'
import { TEXT, words } from './words.ts'

const MOST = { commands: 4, guarded: 5, tail: 5, goodTail: 2 }
const MOST_TAIL = 4000

const STYLES: Readonly<Record<CheckOnReceipt['verdict'], Style>> = {
  passed: 'green',
  failed: 'yellow',
  'needs-person': 'yellow',
  skipped: 'yellow',
}

/** One check: its verdict, its commands, and the files that decide whether it passes. */
export function checkParts({ name, verdict, text, commands = [], known, guarded, usage }: CheckOnReceipt): Part[] {
  const before = known ? ' before, on the same tree' : ''
  const said = words(`${name} ${verdict}${before}${text === null ? '' : `: ${text}`}`, TEXT)
  return [
    { label: 'checked', text: said, style: STYLES[verdict], least: 1 },
    (most) => lastCommands(commands, Math.min(MOST.commands, Math.max(1, most))),
    ...(guarded === undefined ? [] : [{ label: '', text: words(guardedText(guarded), TEXT), least: 1 }]),
    ...(usage === undefined ? [] : [{ ...line(`its own tokens: ${usageText(usage)}`), least: 0 }]),
  ]
}

function lastCommands(commands: readonly CommandOnReceipt[], most: number): Part[] {
  const earlier = commands.length - most
  return [...(earlier > 0 ? [line(`… ${earlier} earlier`)] : []), ...commands.slice(-most).flatMap(commandParts)]
}

/** The command, its end, its time and the end of its output. */
function commandParts({
  name,
  command,
  exit,
  end,
  duration_ms: ms,
  failing,
  tail = '',
  ...more
}: CommandOnReceipt): Part[] {
  const version = more.with === 'base' ? ' with the base version' : ''
  const how = `${exit === null ? end : `exit ${exit}`}${version}`
  const isGood = failing === null
  const lines = plain((failing ?? tail).slice(-MOST_TAIL))
    .split('\n')
    .filter((each) => each.trim() !== '')
    .slice(isGood ? -MOST.goodTail : -MOST.tail)
    .map((each) => `  ${words(each)}`)
  return [
    line(`${how}, ${elapsed(ms)}: ${name === 'verify' ? '' : `${name}: `}${command}`),
    { label: '', entries: lines, keep: 'last', least: isGood ? 0 : 2 },
  ]
}

const BASE: Readonly<Record<GuardedFindings['base'], string>> = {
  passed: 'it passes with their base version, too',
  'only-own': 'it passes only with its own version of them',
  unclear: 'it could not be checked with their base version',
}

function guardedText({ base, files, files_count: count, ...counts }: GuardedFindings): string {
  const others = count - Math.min(files.length, MOST.guarded)
  const named = [...files.slice(0, MOST.guarded), ...(others > 0 ? [`… ${others} more`] : [])].join(', ')
  const lost = lostText({ removed: counts.tests_removed, skipped: counts.tests_skipped })
  const what = `changed ${pluralize(count, 'file')} that decide${count === 1 ? 's' : ''} whether it passes: ${named}`
  return [what, BASE[base], ...(lost === '' ? [] : [lost])].join('; ')
}

function line(text: string): Listing {
  return { label: '', entries: [words(text)], keep: 'first', least: 1 }
}
