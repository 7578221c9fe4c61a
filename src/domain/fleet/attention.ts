import { NEEDS_LANDING } from '../landing/landing.ts'
import type { Outcome, OutcomeCode } from '../run/outcome.ts'
import { NEEDS_REVIEW } from '../run/review.ts'
import type { Lane, Question, Run, TaskState } from '../run/run.ts'
import { NEEDS_APPROVAL } from '../scope/approval.ts'
import { type ChangedFile, taskOfFile } from './home-file.ts'
import type { RefusedModel } from './refused-model.ts'
import type { UnreviewedProject } from './unreviewed.ts'

/** Something that waits for a person, or that a person wants to know first. */
export type Attention =
  /** A file of the home was changed while agents ran, and is not in force. `task`: whose task.json it is. */
  | {
      readonly kind: 'changed'
      readonly file: string
      readonly task?: string
      readonly noticedAt: number
      readonly runs: readonly string[]
    }
  | { readonly kind: 'supervisor'; readonly running: number }
  | { readonly kind: 'paused'; readonly by: string; readonly at: number }
  | { readonly kind: 'configuration'; readonly text: string }
  /** The machine lacks something that every run needs. Claiming goes on by itself when it has it. */
  | { readonly kind: 'machine'; readonly text: string }
  | {
      readonly kind: 'lane'
      readonly lane: string
      readonly state: 'paused' | 'down'
      readonly reason: string
      readonly until: number | null
    }
  /** A lane that recovers and has as many agents as it may have for now. */
  | {
      readonly kind: 'cap'
      readonly lane: string
      readonly cap: number
      readonly running: number
      readonly reason: string
    }
  /** No more tasks of a project are started: so many wait for a review. */
  | { readonly kind: 'unreviewed'; readonly project: string; readonly waiting: number; readonly most: number }
  /** Ready tasks ask for a model that the coder refused. */
  | { readonly kind: 'model'; readonly lane: string; readonly model: string; readonly reason: string }
  | {
      readonly kind: 'question'
      readonly task: string
      readonly text: string
      readonly options: readonly string[]
      readonly suggestion: string | null
      readonly askedAt: number
    }
  | {
      readonly kind: 'blocked'
      readonly task: string
      readonly title: string
      readonly reason: string
      readonly way: Way
    }

/**
 * How a person gets a blocked task going again. `resume`: a person stopped it; `retry`: it failed; `review`: the work is
 * done and waits for a person to look at it; `approve`: it left its bounds, and a person lets it through; `decide`: a person
 * asked for an approval. The others need a fix first, or the task would be blocked again for the same reason:
 * `script`: it has none; `directory`: it does not exist; `settings`: task.json is wrong; `model`: its coder refuses it;
 * `permissions`: they denied what it needs. `land`: its work waits to reach its target branch.
 */
export type Way =
  | 'resume'
  | 'retry'
  | 'land'
  | 'review'
  | 'approve'
  | 'decide'
  | 'script'
  | 'directory'
  | 'settings'
  | 'model'
  | 'permissions'

export interface AttentionFacts {
  readonly now: number
  readonly supervisor: boolean
  readonly running: number
  readonly paused: { readonly by: string; readonly at: number } | undefined
  /** Files of the home that wait for a person. */
  readonly changed: readonly ChangedFile[]
  /** The error in the configuration, if any. */
  readonly configuration: string | undefined
  /** Something that runs need and this machine does not have. */
  readonly lacks: string | undefined
  readonly lanes: readonly Lane[]
  /** How many agents run on a lane. */
  readonly onLane: (lane: string) => number
  /** Those that ready tasks ask for. */
  readonly refusedModels: readonly RefusedModel[]
  readonly unreviewed: readonly UnreviewedProject[]
  readonly questions: readonly Question[]
  readonly blocked: readonly BlockedTask[]
}

/** How the last attempt ended, on this or another machine. */
export interface LastRun extends Pick<Run, 'outcome' | 'next'> {
  /** The other machine; absent: it was this one. */
  readonly machine?: string
}

export interface BlockedTask {
  readonly task: string
  readonly title: string
  readonly labels: readonly string[]
  readonly state: TaskState
  readonly lastRun: LastRun | undefined
  /** Its work is on its way to its target branch. `why`: what a person has to do; undefined: it goes on by itself. */
  readonly landing?: { readonly why: string | undefined }
}

const BY_LABEL: Readonly<Record<string, Way>> = { 'needs-review': 'review', [NEEDS_APPROVAL]: 'decide' }
/** Labels of a task that waits for a person's approval. */
export const WAITS_FOR_PEOPLE: readonly string[] = Object.keys(BY_LABEL)

/** Changes that may be an agent's come first. Then the biggest problem: the whole fleet, then lanes, then single tasks, oldest question first. */
export function attentionOf(facts: AttentionFacts): readonly Attention[] {
  const asked = new Set(facts.questions.map((question) => question.task))
  return [
    ...facts.changed.map(changedAttention),
    ...(facts.supervisor ? [] : [{ kind: 'supervisor' as const, running: facts.running }]),
    ...(facts.paused === undefined ? [] : [{ kind: 'paused' as const, ...facts.paused }]),
    ...(facts.configuration === undefined ? [] : [{ kind: 'configuration' as const, text: facts.configuration }]),
    ...(facts.lacks === undefined ? [] : [{ kind: 'machine' as const, text: facts.lacks }]),
    ...facts.lanes.flatMap((lane) => laneAttention(lane, facts)),
    ...facts.refusedModels.map(({ lane, model, reason }) => ({ kind: 'model' as const, lane, model, reason })),
    ...facts.unreviewed.map((each) => ({ kind: 'unreviewed' as const, ...each })),
    ...facts.questions.map(({ task, text, options, suggestion, askedAt }) => {
      return { kind: 'question' as const, task, text, options, suggestion, askedAt }
    }),
    ...facts.blocked.filter((each) => !asked.has(each.task)).flatMap(blockedAttention),
  ]
}

function changedAttention({ path, noticedAt, runs }: ChangedFile): Attention {
  const task = taskOfFile(path)
  return { kind: 'changed', file: path, ...(task === undefined ? {} : { task }), noticedAt, runs }
}

/** A pause that is over needs no attention: it ends by itself. A cap does only while it keeps agents from starting. */
function laneAttention({ name, state, until, cap, ...lane }: Lane, { now, onLane }: AttentionFacts): Attention[] {
  const reason = lane.reason ?? lane.code ?? ''
  if (state === 'up') {
    const running = onLane(name)
    return cap === undefined || running < cap ? [] : [{ kind: 'cap', lane: name, cap, running, reason }]
  }
  if (state === 'paused' && until !== null && until <= now) return []
  return [{ kind: 'lane', lane: name, state, reason, until }]
}

/** Lists tasks that fleet blocked or that wait for approval. A task that a person blocked by hand is left out. */
function blockedAttention(blocked: BlockedTask): Attention[] {
  const { task, title, labels, landing } = blocked
  if (landing !== undefined) {
    const way = labels.includes(NEEDS_REVIEW) ? 'review' : 'land'
    return landing.why === undefined ? [] : [{ kind: 'blocked', task, title, reason: landing.why, way }]
  }
  const reason = blockedBecause(blocked) ?? decisionOn(labels)
  return reason === undefined ? [] : [{ kind: 'blocked', task, title, reason, way: wayOf(blocked) }]
}

function decisionOn(labels: readonly string[]): string | undefined {
  return labels.find((each) => WAITS_FOR_PEOPLE.includes(each))
}

/** Of a blocked task that does not wait for an answer. */
export function wayOf(blocked: Blocked): Way {
  const label = decisionOn(blocked.labels)
  const isOutside = label === NEEDS_APPROVAL && blocked.lastRun?.outcome?.code === 'out-of-scope'
  return isOutside ? 'approve' : (BY_LABEL[label ?? ''] ?? wayOn(blocked))
}

function wayOn(blocked: Blocked): Way {
  const { state, lastRun } = blocked
  const { waitingKind, lastOutcome } = state
  switch (waitingKind) {
    case null:
      return waitsToLand(blocked) ? 'land' : ((lastRun?.outcome && ENDED[lastRun.outcome.code]) ?? 'retry')
    case 'refused':
    case 'lane':
      return (lastOutcome && REFUSED[lastOutcome.code]) ?? 'retry'
    case 'paused':
    case 'retry':
      return 'resume'
  }
}

const REFUSED: Partial<Record<OutcomeCode, Way>> = {
  'missing-cwd': 'directory',
  'no-worktree': 'directory',
  'bad-settings': 'settings',
}

const ENDED: Partial<Record<OutcomeCode, Way>> = {
  killed: 'resume',
  paused: 'resume',
  budget: 'resume',
  'missing-cwd': 'directory',
  'no-worktree': 'directory',
  'bad-settings': 'script',
  'bad-model': 'model',
  denied: 'permissions',
}

type Blocked = Pick<BlockedTask, 'labels' | 'state' | 'lastRun'>

/** Why fleet blocked a task; undefined if fleet did not block it. */
export function blockedBecause(blocked: Blocked): string | undefined {
  const { state, lastRun } = blocked
  if (state.waiting !== null) return state.waiting
  if (waitsToLand(blocked)) return waitsToLandText(lastRun?.machine)
  if (isSentBack(state.lastOutcome, lastRun)) return `did not land: ${state.lastOutcome.text}`
  if (lastRun?.outcome?.code === NEEDS_LANDING) return 'its work has not landed, and waits for that no more'
  return lastRun?.next?.to === 'blocked' ? (lastRun.next.notes ?? lastRun.outcome?.text) : undefined
}

/** The landing queue is in the home of the machine whose repository has the work. */
function waitsToLandText(machine: string | undefined): string {
  if (machine === undefined) return 'its work waits to land (fleet land says for what)'
  return `its work waits to land on ${machine}, where its agent ran (fleet land says there for what)`
}

/** Its run passed, or a person has accepted it. Either label may also be left from an attempt before. */
function waitsToLand({ labels, lastRun }: Blocked): boolean {
  return labels.includes(NEEDS_LANDING) && !labels.includes(NEEDS_REVIEW) && LANDS.has(lastRun?.outcome?.code)
}

/** Its run passed by itself or by a person, and its landing did not: once too often for another attempt. */
function isSentBack(last: Outcome | null, lastRun: LastRun | undefined): last is Outcome {
  return last !== null && RETURNED.has(last.code) && LANDS.has(lastRun?.outcome?.code)
}

const RETURNED: ReadonlySet<OutcomeCode> = new Set(['conflict', 'verify-failed'])
const LANDS: ReadonlySet<OutcomeCode | undefined> = new Set([NEEDS_LANDING, NEEDS_REVIEW])
