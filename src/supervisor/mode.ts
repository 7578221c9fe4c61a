import type { HostState } from '../domain/fleet/host.ts'

/** `tending`: looks after what runs, and claims nothing. */
type Doing = 'claiming' | 'tending' | 'draining' | 'stopping' | 'over'

/** What a supervisor is about, told when it has begun and whenever that changes. */
export class Mode {
  #now: Doing
  readonly #tell: (mode: HostState) => void

  constructor(first: Doing, tell: (mode: HostState) => void = () => {}) {
    this.#now = first
    this.#tell = tell
  }

  /** For others to know: what is over is still to leave. */
  get told(): HostState {
    return this.#now === 'over' ? 'stopping' : this.#now
  }

  /** A function, because it changes while others await. */
  is(...modes: readonly Doing[]): boolean {
    return modes.includes(this.#now)
  }

  become(mode: Doing): void {
    if (mode === this.#now) return
    this.#now = mode
    this.say()
  }

  say(): void {
    this.#tell(this.told)
  }
}
