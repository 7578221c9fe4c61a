import type { HostState } from '../domain/fleet/host.ts'

/** `tending`: looks after the runs that exist, and claims nothing. */
type Doing = 'claiming' | 'tending' | 'draining' | 'stopping' | 'over'

/** The mode of a supervisor. Reports it when the supervisor has started, and on every change. */
export class Mode {
  #now: Doing
  readonly #tell: (mode: HostState) => void

  constructor(first: Doing, tell: (mode: HostState) => void = () => {}) {
    this.#now = first
    this.#tell = tell
  }

  /** As others see it: a supervisor that is over has yet to leave. */
  get told(): HostState {
    return this.#now === 'over' ? 'stopping' : this.#now
  }

  /** A function, because the mode changes during an await. */
  is(...modes: readonly Doing[]): boolean {
    return modes.includes(this.#now)
  }

  become(mode: Doing): void {
    if (mode === this.#now) return
    this.#now = mode
    this.say()
  }

  /** The home may no longer be this supervisor's to write to. */
  becomeSilently(mode: Doing): void {
    this.#now = mode
  }

  say(): void {
    this.#tell(this.told)
  }
}
