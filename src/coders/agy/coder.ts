import type { Digest } from '../../domain/run/digest.ts'
import type { Trouble } from '../../domain/run/event.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Coder, Launch, Order, Verdict } from '../../ports/coder.ts'
import { failed, lost, wasCutShort } from '../shared/ending.ts'
import { exitWords, lastWords } from '../shared/exit-words.ts'
import { resetIn } from '../shared/reset-in.ts'
import { textEvents } from '../shared/text.ts'
import { agyDescriptor } from './descriptor.ts'
import { agyEvents, UNPAID } from './events.ts'
import { agyError, agyTrouble, printTimeout } from './trouble.ts'

const { name, contextWindow } = agyDescriptor

/**
 * Google's Antigravity CLI, written from what others have published about it up to 1.3 and never run against the real
 * program; descriptor.ts lists what is untried. An unknown version counts as 1.1.8 or newer, because agy updates itself.
 */
export const agy: Coder = {
  name,
  binary: 'agy',
  traits: { claim: 'explicit', evidence: 'work', resume: true, stream: 'json', contextWindow, defaultModel: undefined },
  versionUntold: true,
  shellStartsInCwd: true,
  notes: ['~/.gemini/antigravity', '~/.gemini/antigravity-cli'],
  forVersion: (version) => (isBefore(version, [1, 1, 8]) ? old : agy),
  launch,
  parse: agyEvents,
  textInPieces: true,
  verdict,
}

const { textInPieces: _pieces, ...asWhole } = agy

/** Before 1.1.8 there are no events: it prints its answer at the end, and no session to resume. */
const old: Coder = {
  ...asWhole,
  traits: { ...agy.traits, resume: false, stream: 'text' },
  launch: launchOld,
  parse: textEvents,
  verdict(exit, digest, stderrTail) {
    const well = exit.kind === 'code' && exit.code === 0
    return well ? { kind: 'finished' } : verdict(exit, digest, stderrTail)
  },
}

/** It always allows edits, and commands only without its gates, so `workspace` means its sandbox. */
const PERMISSIONS: Record<Order['permissions'], readonly string[]> = {
  full: ['--dangerously-skip-permissions'],
  workspace: ['--sandbox', '--dangerously-skip-permissions'],
  settings: [],
}

/**
 * The prompt goes to stdin as an event. Every user of the machine can read an argument, and its length is limited. A line
 * that names the prompt's file needs a tool call outside the project, which `workspace` and `settings` may refuse.
 */
function launch(order: Order): Launch {
  return {
    args: ['--input-format=stream-json', '--output-format=stream-json', ...flags(order)],
    stdin: 'prompt',
    promptAs: (prompt) => `${JSON.stringify({ event: 'user', message: { role: 'user', content: prompt } })}\n`,
    env: QUIET,
  }
}

/** Before 1.1.8 agy takes the prompt only as an argument. */
function launchOld(order: Order): Launch {
  const line = `Read ${order.promptFile} to its end and do what it says.`
  return { args: ['-p', line, ...flags(order)], stdin: 'closed', env: QUIET }
}

function flags(order: Order): readonly string[] {
  return [
    ...(order.model === undefined ? [] : [`--model=${order.model}`]),
    ...(order.session === undefined ? [] : [`--conversation=${order.session}`]),
    ...PERMISSIONS[order.permissions],
    // Without it, files without a folder in their name end up in a folder of agy's own.
    ...[order.cwd, ...(order.writes ?? [])].map((folder) => `--add-dir=${folder}`),
    // Before 1.2.6 a turn ended after five minutes, half done, as a success. fleet has its own timeouts.
    '--print-timeout=24h',
  ]
}

/** Fifty agents must not update the program under each other. */
const QUIET = { AGY_CLI_DISABLE_AUTO_UPDATE: '1' }

/** A version without a number counts as new. */
function isBefore(version: string, bound: readonly [number, number, number]): boolean {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(version)
  if (found === null) return false
  const parts = found.slice(1).map((part) => Number(part ?? 0))
  const at = bound.findIndex((part, i) => part !== parts[i])
  return at !== -1 && (parts[at] ?? 0) < (bound[at] ?? 0)
}

/** The line on stderr says most, then the result; the exit code matters only if both are missing. */
function verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict {
  const { result } = digest
  const told = agyError(stderrTail)
  if (told !== undefined) return failed(timed(told, digest))
  if (result === undefined && digest.trouble !== undefined) return failed(timed(digest.trouble, digest))
  if (result === undefined || wasCutShort(exit, digest)) {
    return failed(withoutResult(exit, digest, stderrTail))
  }
  if (result.ok) return { kind: 'finished' }
  if (result.trouble?.text === UNPAID) return perhapsCut(stderrTail)
  return failed(timed(result.trouble ?? { code: 'error', text: 'it failed and gave no reason' }, digest))
}

function perhapsCut(stderrTail: string): Verdict {
  const after = printTimeout(stderrTail)
  if (after === undefined) return { kind: 'finished' }
  return failed({ code: 'wall-clock', text: `its own print timeout cut it short after ${after}` })
}

function timed(trouble: Trouble, { lastEventAt }: Digest): Outcome {
  const resetsAt =
    trouble.code === 'usage-limit' && lastEventAt !== undefined ? resetIn(trouble.text, lastEventAt) : undefined
  return resetsAt === undefined ? trouble : { ...trouble, resetsAt }
}

/** Once a session has begun, stderr may hold the output of a tool. */
function withoutResult(exit: Exit, digest: Digest, stderrTail: string): Outcome {
  const words = lastWords(stderrTail, 300)
  const began = digest.session !== undefined
  const trouble = agyTrouble(began ? '' : stderrTail)
  if (trouble.code !== 'error') return trouble
  if (!began && exit.kind === 'code' && exit.code === 2) return { code: 'bad-flag', text: words || exitWords(exit) }
  return lost(exit, digest, stderrTail)
}
