/** For loops that look again: nothing else is going on in a command that waits. */
export function wait(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis))
}
