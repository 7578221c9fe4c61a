/** For polling loops in commands that have nothing else to do. */
export function wait(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis))
}

/** Waits for the work, but no longer than `millis`. */
export async function atMost(millis: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, millis)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

/** Repeats until it is disposed of. The timer does not keep the process alive. */
export function every(millis: number, work: () => void): Disposable {
  const timer = setInterval(work, millis).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
