import { finalOutcome, strongerReason } from './final-outcome.ts'
import type { Outcome } from './outcome.ts'

/**
 * What happens to one run: `step(state, input)` gives the next state and what has to be done. Total: an input that does
 * not fit is ignored. `ended` is final, the first stop decides the outcome (final-outcome.ts has the exceptions), and there
 * is exactly one `settle`, after everything of the run has gone.
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
  /** Nothing of it is left; what it did is being looked at. */
  | { readonly phase: 'judging'; readonly want?: Outcome }
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
  | { readonly kind: 'judged'; readonly outcome: Outcome }

interface StopInput {
  readonly kind: 'stop'
  readonly want?: Outcome
  readonly atOnce?: boolean
}

export type RunEffect =
  | { readonly do: 'terminate' }
  /** What it is stopped for is another reason now. */
  | { readonly do: 'note' }
  /** With all that carries its marker. */
  | { readonly do: 'kill' }
  /** Find out whether anything is left; `gone` is the answer. */
  | { readonly do: 'confirm' }
  | { readonly do: 'judge'; readonly want?: Outcome }
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
        return become({ phase: 'stopping', since: now, forced, ...wanting(input.want) }, forced ? 'kill' : 'terminate')
      }
      if (input.kind === 'exited') return become({ phase: 'leaving', since: now, forced: false }, 'confirm')
      if (input.kind === 'gone') return judge()
      return stay(state)
    case 'leaving':
      if (input.kind === 'gone') return judge(state.want)
      if (input.kind === 'grace-over' && !state.forced) return become({ ...state, forced: true }, 'kill')
      // What is left of it goes at once. That the agent itself ended before is for the evidence to say, or for a person.
      if (input.kind === 'stop') {
        const leaving = { ...state, forced: true, ...wanting(strongerReason(state.want, input.want)) }
        return state.forced ? become(leaving) : become(leaving, 'kill')
      }
      return stay(state)
    case 'stopping':
      if (input.kind === 'gone') return judge(state.want)
      if (input.kind === 'exited') return become(state, 'confirm')
      if (input.kind === 'stop') {
        const stopping = { ...state, ...wanting(strongerReason(state.want, input.want)) }
        if (input.atOnce === true && !state.forced) return become({ ...stopping, forced: true }, 'kill')
        return stopping.want === state.want ? stay(state) : become(stopping, 'note')
      }
      if (input.kind === 'grace-over' && !state.forced) return become({ ...state, forced: true }, 'kill')
      return stay(state)
    case 'judging':
      if (input.kind === 'judged') return end(finalOutcome(state.want, input.outcome))
      if (input.kind === 'stop') return become({ ...state, ...wanting(strongerReason(state.want, input.want)) })
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

function stay(state: RunState): Stepped {
  return { state, effects: [] }
}

function become(state: RunState, ...effects: ('terminate' | 'note' | 'kill' | 'confirm')[]): Stepped {
  return { state, effects: effects.map((each) => ({ do: each })) }
}

function judge(want?: Outcome): Stepped {
  return { state: { phase: 'judging', ...wanting(want) }, effects: [{ do: 'judge', ...wanting(want) }] }
}

function end(outcome: Outcome): Stepped {
  return { state: { phase: 'ended', outcome }, effects: [{ do: 'settle', outcome }] }
}

function wanting(want: Outcome | undefined): { want?: Outcome } {
  return want === undefined ? {} : { want }
}
