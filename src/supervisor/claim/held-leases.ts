import { type Lease, leaseOfUnknownAge, shortened, stopBeforeExpiry, switchTimes } from '../../domain/fleet/lease.ts'
import type { StopInput } from '../../domain/run/run-machine.ts'
import type { GuardedRun } from '../../ports/dead-man.ts'
import type { Claim } from '../../ports/queue.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

/** The leases of this supervisor's claims, as far as it knows. Times are of `sinceBoot`: a suspend counts. */
export class HeldLeases {
  readonly #world: Pick<World, 'clock' | 'policy'>
  readonly #leases = new Map<string, Lease>()
  /** A grant asked for before then may be older than it looks. */
  #knownSince = Number.NEGATIVE_INFINITY

  constructor(world: Pick<World, 'clock' | 'policy'>) {
    this.#world = world
  }

  /** `askedAt`: a time before the queue was asked. */
  granted(claims: readonly Claim[], { askedAt, leaseMs }: { askedAt: number; leaseMs: number }): void {
    if (askedAt < this.#knownSince) return
    for (const claim of claims) this.#leases.set(keyOf(claim), { leaseMs, until: askedAt + leaseMs })
  }

  of(claim: Claim): Lease {
    const { clock, policy } = this.#world
    const { lease, limits } = policy()
    const key = keyOf(claim)
    const held = this.#leases.get(key) ?? leaseOfUnknownAge(lease, limits.grace, clock.sinceBoot())
    this.#leases.set(key, held)
    return held
  }

  /** The stop that its lease asks for now. */
  stopOf(claim: Claim): StopInput | undefined {
    const { clock, policy } = this.#world
    return stopBeforeExpiry(this.of(claim), policy().limits.grace, clock.sinceBoot())
  }

  /** Whether the time has come at which a dead man's switch ends the run. */
  isOver({ claim }: LiveRun): boolean {
    const { clock, policy } = this.#world
    return clock.sinceBoot() >= switchTimes(this.of(claim), policy().limits.grace).terminateAt
  }

  /** More time may have passed than the clock shows. */
  doubt(): void {
    const { clock, policy } = this.#world
    const { grace } = policy().limits
    this.#knownSince = clock.sinceBoot()
    for (const [key, lease] of this.#leases) this.#leases.set(key, shortened(lease, grace, this.#knownSince))
  }

  /** A run as the dead man's switch is told of it. */
  guarded({ record, folder, family, claim }: LiveRun): GuardedRun {
    const lease = this.of(claim)
    const times = switchTimes(lease, this.#world.policy().limits.grace)
    return { run: record.id, folder, proc: record.proc, family, leaseMs: lease.leaseMs, ...times }
  }

  forgetOld(runs: readonly LiveRun[]): void {
    const now = this.#world.clock.sinceBoot()
    const live = new Set(runs.map(({ claim }) => keyOf(claim)))
    for (const [key, { until }] of this.#leases) if (until < now && !live.has(key)) this.#leases.delete(key)
  }
}

function keyOf({ id, token }: Claim): string {
  return `${id} ${token}`
}
