import { fold } from '../../domain/run/digest.ts'
import { LineSplitter } from '../../domain/text/lines.ts'
import type { Stream } from '../../ports/attempts.ts'
import type { Sidecar } from '../../ports/coder.ts'
import type { World } from '../world.ts'
import { heard, type LiveRun } from './live-run.ts'

/** The file that a coder itself writes about its session, as far as it was read. */
export interface OpenSidecar {
  readonly stream: Stream
  readonly lines: LineSplitter
  readonly tell: ReturnType<Sidecar['reader']>
  /** All that stood there when it was found was read. */
  caughtUp: boolean
}

/** Looking costs a look into many folders, and one that is not there by then is not to come. */
const PATIENCE = 60_000

/** Looks for it every now and then, once the session is known. */
export function awaitSidecar(world: World, live: LiveRun): void {
  const { firstEventAt } = live
  if (firstEventAt !== undefined && world.clock.monotonic() - firstEventAt < PATIENCE) findSidecar(world, live)
}

/** Looks for it, where the session is known and it was not found before. */
export function findSidecar(world: World, live: LiveRun): void {
  const { sidecar } = live.coder
  const { session } = live.digest
  if (sidecar === undefined || session === undefined || live.sidecar !== undefined) return
  const run = { session, startedAt: live.record.startedAt, env: world.environment.of(live.record) }
  const place = sidecar.place(run)
  const stream = place === undefined ? undefined : world.attempts.followBeside(place)
  if (stream !== undefined)
    live.sidecar = { stream, lines: new LineSplitter(), tell: sidecar.reader(run), caughtUp: false }
}

/** At most one buffer full; true: there is more at once. That it grows is a sign of life; it is no evidence. */
export function followSidecar(world: World, live: LiveRun): boolean {
  if (live.sidecar === undefined) return false
  const { stream, lines, tell } = live.sidecar
  const before = stream.bytes
  // What stood there when it was found is no sign of life of now, and what an adopted run had said, it said then.
  const { caughtUp } = live.sidecar
  const old = caughtUp ? undefined : live.old
  const more = stream.read((bytes) => {
    lines.feed(bytes, (line) => {
      for (const event of line === undefined ? [] : tell(line)) {
        fold(live.digest, event, old?.at ?? world.clock.now())
      }
    })
  })
  live.sidecar.caughtUp ||= !more
  if (stream.bytes > before) {
    live.figuresChanged = true
    if (caughtUp) heard(live, world.clock.monotonic(), stream)
  }
  return more
}
