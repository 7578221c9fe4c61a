import { ASKED } from '../evidence/asked.ts'
import { WEAKNESS_TEXTS } from '../evidence/weak-change.ts'
import { bounded } from '../text/bounded.ts'
import type { WeakChange } from './changes.ts'
import type { Outcome } from './outcome.ts'

/** How sure it is that a task is done. */
export const LEVELS = ['none', 'claimed', 'evidenced', 'verified', 'reviewed'] as const
export type Level = (typeof LEVELS)[number]
export type CloseAt = Exclude<Level, 'none'>

/** undefined: it is none. */
export function closeAtOf(text: unknown): CloseAt | undefined {
  return LEVELS.find((level): level is CloseAt => level !== 'none' && level === text)
}

export function isAtLeast(level: Level, asked: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(asked)
}

/** The agent's claim, next to the supervisor's own observations. */
export interface Case {
  /** From the coder's stream and exit; undefined: none. */
  readonly trouble: Outcome | undefined
  /** The agent's last word to fleet. `exit`: exit status 0 is its claim. */
  readonly said:
    | { readonly kind: 'done'; readonly summary: string; readonly how: 'letter' | 'exit' }
    | { readonly kind: 'ask'; readonly text: string }
    | undefined
  /** Exit status 0 of a script that the supervisor ran itself is evidence by itself, unless its task asks for more. */
  readonly exitIsEvidence: boolean
  /** undefined: the coder prints text, so its tools are invisible, and its changes are the only evidence. */
  readonly toolCalls: number | undefined
  /** By the earlier attempts whose work it continues. */
  readonly earlierToolCalls: number
  readonly filesChanged: number
  readonly commits: number
  readonly artifacts: number
  /** Branches and tags, where its task asks for them. */
  readonly refs: number
  /** The evidence that its task asks for; undefined: any change. */
  readonly asked: { readonly text: string; readonly isMet: boolean } | undefined
  /** Its changes that are no evidence by themselves. */
  readonly weak: readonly WeakChange[]
  /** Changes in the same place and time that nothing traces to it, or to another run. */
  readonly untraced: number
  /** Where it worked: in a worktree of its task, in a checkout that others may use too, or where no git is. */
  readonly where: 'worktree' | 'checkout' | 'folder'
  /** The person who sent the work back that it began with, so that only what came after counts; undefined: nobody. */
  readonly sentBackBy: string | undefined
  /** Names of its files that are not as fleet wrote or read them: it can claim nothing. */
  readonly altered: readonly string[]
  /** Why its changes could not be looked at. */
  readonly unseen: string | undefined
  /** The level that its task has to reach. Evidence alone proves no more than `evidenced`; checks decide about the rest. */
  readonly closeAt: CloseAt
  /** Calls that the coder's permissions denied, in one sentence, and the permissions. */
  readonly denied: { readonly text: string; readonly under: string } | undefined
}

export interface Judgement {
  readonly outcome: Outcome
  readonly level: Level
}

/**
 * Order: a question, trouble, the claim, the evidence. An agent's word alone never closes more than `claimed` asks for. A
 * denied call matters only to a run that falls short: one that found another way is done.
 */
export function judge(it: Case): Judgement {
  const { outcome, level } = judgeClaim(it)
  const changed = it.filesChanged + it.commits + it.artifacts + it.refs > 0
  // An agent that worked on and only forgot to claim is reminded, as ever.
  const onlyForgot = changed && it.trouble === undefined
  const fellShort =
    (outcome.code === 'no-claim' && !onlyForgot) || (outcome.code === 'no-evidence' && it.altered.length === 0)
  if (!fellShort || it.denied === undefined) return { outcome, level }
  return { outcome: { code: 'denied', ...it.denied }, level }
}

function judgeClaim(it: Case): Judgement {
  if (it.said?.kind === 'ask') return { outcome: { code: 'question', text: it.said.text }, level: 'none' }
  if (it.trouble !== undefined && it.trouble.code !== 'denied') return { outcome: it.trouble, level: 'none' }
  if (it.said === undefined) {
    const text = `ended without saying that it is done (${it.unseen ?? seen(it)})`
    return { outcome: { code: 'no-claim', text }, level: 'none' }
  }
  const level = levelOf(it)
  if (level === 'evidenced' || isAtLeast(level, it.closeAt)) {
    return { outcome: { code: 'done', text: it.said.summary }, level }
  }
  const why =
    alteredText(it.altered) ??
    it.unseen ??
    `claimed done with ${seen(it)}${sinceText(it)}${askedFor(it)}${weakText(it)}${untracedText(it)}${elsewhereText(it)}${idleText(it)}`
  return { outcome: { code: 'no-evidence', text: why }, level }
}

function alteredText(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  if (names.length === 1 && names[0] === 'stdout.jsonl') return 'its output was altered afterwards'
  return `the record of it was altered: ${names.slice(0, 5).join(', ')}`
}

function levelOf(it: Case): Level {
  if (it.altered.length > 0) return 'none'
  if (it.exitIsEvidence) return it.asked?.isMet === false ? 'claimed' : 'evidenced'
  const changed = it.asked?.isMet ?? it.filesChanged + it.commits + it.artifacts > 0
  return changed && hasActed(it) ? 'evidenced' : 'claimed'
}

function hasActed({ toolCalls, earlierToolCalls }: Case): boolean {
  return toolCalls === undefined || toolCalls + earlierToolCalls > 0
}

function seen(it: Case): string {
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  return [
    ...(it.toolCalls === undefined ? [] : [counted(it.toolCalls, 'tool call')]),
    `${counted(it.filesChanged, 'file')} changed`,
    counted(it.commits, 'commit'),
    counted(it.artifacts, 'artifact'),
    ...(it.refs === 0 ? [] : [counted(it.refs, 'ref')]),
  ].join(', ')
}

function sinceText({ sentBackBy }: Case): string {
  return sentBackBy === undefined ? '' : ` since ${sentBackBy} sent it back`
}

function askedFor({ asked }: Case): string {
  return asked === undefined || asked.isMet
    ? ''
    : `; its evidence is to be ${asked.text}, and nothing there is traced to it (if it is elsewhere: fleet bd update --evidence ${ASKED})`
}

const NAMED = 3

/** Changes that do not count, and the remedy. */
function weakText({ weak, asked }: Case): string {
  if (weak.length === 0) return ''
  const named = weak.slice(0, NAMED).map(({ path, why }) => `${bounded(path, 80)} ${WEAKNESS_TEXTS[why]}`)
  const more = weak.length > NAMED ? `, and ${weak.length - NAMED} more` : ''
  const remedy = asked === undefined ? ' (where that is the task: --evidence path:<path>)' : ''
  return `; it does not count that ${named.join(', ')}${more}${remedy}`
}

/** For work that left no trace where fleet looks. */
function elsewhereText(it: Case): string {
  const isUnseen = hasActed(it) && it.asked === undefined && it.weak.length === 0
  return isUnseen ? `; for a task whose work is elsewhere: --evidence ${ASKED}` : ''
}

/** For an answer that needs no tool. */
function idleText(it: Case): string {
  return hasActed(it) ? '' : '; for a task that needs no tool: --close-at claimed'
}

/** Changes that count for nobody, and the remedy. */
function untracedText({ untraced, where }: Case): string {
  if (untraced === 0) return ''
  const changes = untraced === 1 ? '1 change here is' : `${untraced} changes here are`
  const why = 'others worked here too, or none of its tools was open'
  switch (where) {
    case 'worktree': {
      const shared = `${untraced} of the branches, tags and files elsewhere that it shares with other tasks`
      return `; ${shared} changed without a trace of it (others worked then too, or none of its tools was open); a file that its edit tool names is its own, and --evidence none takes its tool calls alone`
    }
    case 'checkout':
      return `; ${changes} not traced to it (${why}); a worktree for each task keeps them apart: isolation = worktree`
    case 'folder':
      return `; ${changes} not traced to it (${why}); where no git is, a directory for each task keeps them apart (--cwd), and --evidence none takes its tool calls alone`
  }
}
