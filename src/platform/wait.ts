/** For loops that look again: nothing else is going on in a command that waits. */
export function wait(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis))
}

/** Until it is disposed of. It keeps nothing alive by itself. */
export function every(millis: number, work: () => void): Disposable {
  const timer = setInterval(work, millis).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
