import { finalOutcome, strongerReason } from './final-outcome.ts'
import type { Outcome } from './outcome.ts'

/**
 * The life of one run: `step(state, input)` gives the next state and the effects to perform. Total: an input that does
 * not fit is ignored. `ended` is final, the first stop decides the outcome (final-outcome.ts has the exceptions), and there
 * is exactly one `settle`, after everything of the run has gone. The outcome is decided here and nowhere else: receipt and
 * ledger are written from what `ended` says.
 */
export type RunState =
  /** Nothing has been started yet. */
  | { readonly phase: 'preparing' }
  /** The order to start it is out; whether there is a process is not known yet, so a stop has to wait. */
  | { readonly phase: 'starting'; readonly stop?: StopInput }
  | { readonly phase: 'running' }
  /** Asked to end. Without `want` the evidence decides, as after an end of its own. */
  | { readonly phase: 'stopping'; readonly since: number; readonly want?: Outcome; readonly forced: boolean }
  /** The agent has gone by itself, something it started may not have. */
  | { readonly phase: 'leaving'; readonly since: number; readonly want?: Outcome; readonly forced: boolean }
  /** No process is left; the evidence is being judged. `late`: a stop too weak to outweigh it, but no check may begin. */
  | { readonly phase: 'judging'; readonly want?: Outcome; readonly late?: Outcome }
  /** Judged done; its checks run, perhaps for minutes. With `want` they are being aborted. */
  | { readonly phase: 'checking'; readonly want?: Outcome }
  | { readonly phase: 'ended'; readonly outcome: Outcome }

export type RunInput =
  | { readonly kind: 'starting' }
  | { readonly kind: 'launched' }
  | { readonly kind: 'launch-failed'; readonly outcome: Outcome }
  | StopInput
  /** Its time to end gracefully is over. */
  | { readonly kind: 'grace-over' }
  /** The leader of its processes has gone. */
  | { readonly kind: 'exited' }
  /** No process of it is left. */
  | { readonly kind: 'gone' }
  /** `checks`: how many a run that is done has to pass; absent: none. */
  | { readonly kind: 'judged'; readonly outcome: Outcome; readonly checks?: number }
  /** Every check has ended, by itself or aborted. */
  | { readonly kind: 'checked'; readonly outcome: Outcome }

export interface StopInput {
  readonly kind: 'stop'
  readonly want?: Outcome
  readonly atOnce?: boolean
}

export type RunEffect =
  /** Write down that it is being stopped, and why: an adopting supervisor must know. */
  | { readonly do: 'note' }
  | { readonly do: 'terminate' }
  /** With all that carries its marker. */
  | { readonly do: 'kill' }
  /** Find out whether anything is left; `gone` is the answer. */
  | { readonly do: 'confirm' }
  /** `judged` is the answer. */
  | { readonly do: 'judge' }
  /** `checked` is the answer. */
  | { readonly do: 'check' }
  | { readonly do: 'abort-checks' }
  | { readonly do: 'settle'; readonly outcome: Outcome }

export interface Stepped {
  readonly state: RunState
  readonly effects: readonly RunEffect[]
}

export function step(state: RunState, input: RunInput, now: number): Stepped {
  switch (state.phase) {
    case 'preparing':
      if (input.kind === 'starting') return become({ phase: 'starting' })
      if (input.kind === 'launch-failed') return end(input.outcome)
      // Nothing runs, so there is nothing to wait for and nothing to judge.
      if (input.kind === 'stop' && input.want !== undefined) return end(input.want)
      return stay(state)
    case 'starting':
      if (input.kind === 'launched') {
        const running: RunState = { phase: 'running' }
        return state.stop === undefined ? become(running) : step(running, state.stop, now)
      }
      if (input.kind === 'launch-failed') return end(state.stop?.want ?? input.outcome)
      if (input.kind === 'stop') return become({ phase: 'starting', stop: sooner(state.stop ?? input, input) })
      return stay(state)
    case 'running':
      if (input.kind === 'stop') {
        const forced = input.atOnce === true
        const stopping: RunState = { phase: 'stopping', since: now, forced, ...wanting(input.want) }
        return become(stopping, 'note', forced ? 'kill' : 'terminate')
      }
      if (input.kind === 'exited') return become({ phase: 'leaving', since: now, forced: false }, 'confirm')
      if (input.kind === 'gone') return judge()
      return stay(state)
    case 'leaving':
      if (input.kind === 'gone') return judge(state.want)
      if (input.kind === 'grace-over' && !state.forced) return become({ ...state, forced: true }, 'kill')
      // Kill the rest at once. The agent itself had ended, so the evidence, or a person, decides.
      if (input.kind === 'stop') {
        const leaving = { ...state, forced: true, ...wanting(strongerReason(state.want, input.want)) }
        return become(leaving, ...noteIfOther(state, leaving), ...kill(state))
      }
      return stay(state)
    case 'stopping':
      if (input.kind === 'gone') return judge(state.want)
      if (input.kind === 'exited') return become(state, 'confirm')
      if (input.kind === 'stop') {
        const forced = state.forced || input.atOnce === true
        const stopping = { ...state, forced, ...wanting(strongerReason(state.want, input.want)) }
        return become(stopping, ...noteIfOther(state, stopping), ...(forced ? kill(state) : []))
      }
      if (input.kind === 'grace-over') return become({ ...state, forced: true }, ...kill(state))
      return stay(state)
    case 'judging':
      if (input.kind === 'judged') {
        const isToBeChecked = state.want === undefined && input.outcome.code === 'done' && (input.checks ?? 0) > 0
        if (!isToBeChecked) return end(finalOutcome(state.want, input.outcome))
        return state.late === undefined ? become({ phase: 'checking' }, 'check') : end(state.late)
      }
      if (input.kind === 'stop') {
        const judging = { ...state, ...wanting(strongerReason(state.want, input.want)) }
        const late = state.late ?? input.want
        return become({ ...judging, ...(late && { late }) }, ...noteIfOther(state, judging))
      }
      return stay(state)
    case 'checking':
      if (input.kind === 'checked') return end(finalOutcome(state.want, input.outcome))
      // Checks take too long to wait for, so here every reason counts.
      if (input.kind === 'stop' && input.want !== undefined) {
        const checking = { ...state, want: strongerReason(state.want ?? input.want, input.want) }
        const abort = state.want === undefined ? (['abort-checks'] as const) : []
        return become(checking, ...noteIfOther(state, checking), ...abort)
      }
      return stay(state)
    case 'ended':
      return stay(state)
  }
}

/** The first stop decides the outcome, the more urgent one the way. */
function sooner(first: StopInput, next: StopInput): StopInput {
  const want = wanting(strongerReason(first.want, next.want))
  return { kind: 'stop', ...want, atOnce: first.atOnce === true || next.atOnce === true }
}

function noteIfOther(before: { want?: Outcome }, after: { want?: Outcome }): readonly 'note'[] {
  return before.want === after.want ? [] : ['note']
}

function kill({ forced }: { forced: boolean }): readonly 'kill'[] {
  return forced ? [] : ['kill']
}

function stay(state: RunState): Stepped {
  return { state, effects: [] }
}

function become(state: RunState, ...effects: Exclude<RunEffect['do'], 'settle'>[]): Stepped {
  return { state, effects: effects.map((each) => ({ do: each })) }
}

function judge(want?: Outcome): Stepped {
  return become({ phase: 'judging', ...wanting(want) }, 'judge')
}

function end(outcome: Outcome): Stepped {
  return { state: { phase: 'ended', outcome }, effects: [{ do: 'settle', outcome }] }
}

function wanting(want: Outcome | undefined): { want?: Outcome } {
  return want === undefined ? {} : { want }
}
