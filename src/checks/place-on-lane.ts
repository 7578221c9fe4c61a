import type { LanePlace, Lanes } from '../ports/lanes.ts'

const LOOK_EVERY_MS = 1000

export interface LaneWish {
  readonly lane: string
  /** Told while there is no place why not. */
  waits(why: string | undefined): void
}

/** Waits for a place on a lane. A text: it is of no use to wait any longer. Throws the reason of an abort. */
export async function placeOnLane(
  lanes: Lanes,
  { lane, waits }: LaneWish,
  signal: AbortSignal,
): Promise<LanePlace | string> {
  try {
    for (;;) {
      if (signal.aborted) throw signal.reason
      const taken = lanes.take(lane)
      if ('answered' in taken) return taken
      if (taken.isHopeless) return taken.why
      waits(taken.why)
      await pause(LOOK_EVERY_MS, signal)
    }
  } finally {
    waits(undefined)
  }
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, millis)
    signal.addEventListener('abort', done)
  })
}
