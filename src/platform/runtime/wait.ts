/** For loops that look again: nothing else is going on in a command that waits. */
export function wait(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis))
}

/** Until it is done, but no longer than that. */
export async function atMost(millis: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, millis)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

/** Until it is disposed of. It keeps nothing alive by itself. */
export function every(millis: number, work: () => void): Disposable {
  const timer = setInterval(work, millis).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
