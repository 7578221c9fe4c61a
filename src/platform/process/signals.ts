/** The reactions to a signal that asks this process to end. `times`: how many such signals have come so far. */
export interface SignalActions {
  stop(signal: NodeJS.Signals, times: number): void
  keep(): void
}

export function onSignals({ stop, keep }: SignalActions): Disposable {
  let times = 0
  const stopped = (signal: NodeJS.Signals): void => stop(signal, ++times)
  process.on('SIGINT', stopped)
  process.on('SIGTERM', stopped)
  process.on('SIGHUP', keep)
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', stopped)
      process.off('SIGTERM', stopped)
      process.off('SIGHUP', keep)
    },
  }
}
