import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs'
import type { Agents, Found, RunPlace } from '../../../ports/agents.ts'
import { type GuardedRun, SWITCH_RECORD } from '../../../ports/dead-man.ts'
import { apply, dueOf, type Message } from './message.ts'

export interface GuardParts {
  readonly agents: Pick<Agents, 'look' | 'signal' | 'sweep' | 'kill' | 'forbidStart'>
  /** See boot-clock.ts. */
  now(): number
}

/** The runs that a dead man's switch knows, and their ends. */
export class Guard {
  readonly #agents: GuardParts['agents']
  readonly #now: GuardParts['now']
  readonly #runs = new Map<string, GuardedRun>()
  /** Those that were sent SIGTERM. */
  readonly #asked = new Set<string>()

  constructor({ agents, now }: GuardParts) {
    this.#agents = agents
    this.#now = now
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0
  }

  take(message: Message): void {
    apply(message, this.#runs)
    for (const run of this.#asked) if (!this.#runs.has(run)) this.#asked.delete(run)
  }

  /** Ends the runs whose time is over. Called several times a second; costs nothing before that. */
  endDue(): void {
    const now = this.#now()
    const due = [...this.#runs.values()].filter((run) => dueOf(run, now) !== 'nothing')
    const kill = due.filter((run) => dueOf(run, now) === 'kill')
    for (const run of due) if (dueOf(run, now) === 'terminate') this.#try(() => this.#terminate(run))
    if (kill.length === 0) return
    // While the parents live, ancestry shows what belongs to a run: one look for all, before the first is killed.
    const places: RunPlace[] = []
    for (const run of kill) {
      this.#try(() => {
        const place = this.#placeIfThere(run)
        if (place === undefined) return
        record(run)
        places.push(place)
      })
    }
    let found: ReturnType<Agents['sweep']> = new Map()
    this.#try(() => {
      found = this.#agents.sweep(0)
    })
    for (const place of places) this.#try(() => this.#kill(place, found.get(place.run) ?? []))
  }

  /** Without a supervisor: forgets the runs that have ended, so that the switch need not wait for their time. */
  forgetEnded(): void {
    for (const run of this.#runs.values()) {
      this.#try(() => {
        const { kind } = this.#agents.look(placeOf(run))
        // Without its folder it cannot start any more.
        const cannotStart = kind === 'never-started' && !existsSync(run.folder)
        if (kind === 'gone' || kind === 'machine-lost' || cannotStart) this.#forget(run)
      })
    }
  }

  #terminate(run: GuardedRun): void {
    const place = this.#asked.has(run.run) ? undefined : this.#placeIfThere(run)
    if (place === undefined) return
    record(run)
    this.#asked.add(run.run)
    this.#agents.signal(place, 'SIGTERM')
  }

  /** Stops all before it kills the first: a parent that sees its child die starts another. */
  #kill(place: RunPlace, found: readonly Found[]): void {
    const within = found.filter(({ reach }) => reach === undefined)
    for (const each of within) this.#agents.kill(each, 'SIGSTOP')
    this.#agents.signal(place, 'SIGKILL')
    for (const each of within) this.#agents.kill(each)
  }

  /** undefined: it has gone, or was not started and cannot be any more. Then nothing is left to do. */
  #placeIfThere(run: GuardedRun): RunPlace | undefined {
    const place = placeOf(run)
    const found = this.#agents.look(place)
    // It was started after the switch had heard of it.
    if (found.kind === 'alive') return { ...place, proc: found.proc ?? place.proc }
    // It may start between the two looks.
    if (found.kind === 'never-started' && !this.#agents.forbidStart(place)) return place
    this.#forget(run)
    return undefined
  }

  #forget({ run }: GuardedRun): void {
    this.#runs.delete(run)
    this.#asked.delete(run)
  }

  /** Trouble with one run keeps no other from being ended; the next turn tries again. */
  #try(work: () => unknown): void {
    try {
      work()
    } catch {
      // The process table, or a file of the run, cannot be read just now.
    }
  }
}

function placeOf({ run, folder, proc, family }: GuardedRun): RunPlace {
  return { run, folder, proc, family }
}

/** Before the first signal, so that whoever finds the run ended also finds the reason. */
function record({ run, folder, leaseMs }: GuardedRun): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  try {
    const file = openSync(`${folder}/${SWITCH_RECORD}`, flags, 0o600)
    writeSync(file, `${JSON.stringify({ run, at: new Date().toISOString(), lease_ms: leaseMs })}\n`)
    closeSync(file)
  } catch {
    // It is there already, or the agent has destroyed its folder: ending it matters more.
  }
}
