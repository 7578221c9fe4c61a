import { fold, isAnswer } from '../../domain/run/digest.ts'
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
  /** Its content at the time it was found was read. */
  caughtUp: boolean
}

/** Searching reads many folders, and a sidecar that is not there by then never comes. */
const PATIENCE = 60_000

/** Once a second, from the first event on. */
export function awaitSidecar(world: World, live: LiveRun): void {
  const { firstEventAt } = live.output
  if (firstEventAt !== undefined && world.clock.monotonic() - firstEventAt < PATIENCE) findSidecar(world, live)
}

/** Does nothing before the session is known, or once it was found. */
export function findSidecar(world: World, live: LiveRun): void {
  const { sidecar } = live.coder
  const { session } = live.digest
  if (sidecar === undefined || session === undefined || live.sidecar !== undefined) return
  const { startedAt, cwd } = live.record
  const run = { session, startedAt, cwd: world.machine.realPath(cwd), env: world.environment.of(live.record) }
  const place = sidecar.place(run)
  const stream = place === undefined ? undefined : world.attempts.followBeside(place)
  if (stream !== undefined)
    live.sidecar = { stream, lines: new LineSplitter(), tell: sidecar.reader(run), caughtUp: false }
}

/** Reads at most one buffer; true: there is more. Growth is a sign of life, not evidence. */
export function followSidecar(world: World, live: LiveRun): boolean {
  if (live.sidecar === undefined) return false
  const { stream, lines, tell } = live.sidecar
  const before = stream.bytes
  // Its content when it was found is no sign of life of now, and an adopted run said that long ago.
  const { caughtUp } = live.sidecar
  const old = caughtUp ? undefined : live.output.old
  const more = stream.read((bytes) => {
    lines.feed(bytes, (line) => {
      for (const event of line === undefined ? [] : tell(line)) {
        fold(live.digest, event, old?.at ?? world.clock.now())
        if (caughtUp && isAnswer(event)) live.output.answeredAt = world.clock.now()
      }
    })
  })
  live.sidecar.caughtUp ||= !more
  if (stream.bytes > before) {
    live.unwritten.figuresChanged = true
    if (caughtUp) heard(live, world.clock.monotonic(), stream)
  }
  return more
}
