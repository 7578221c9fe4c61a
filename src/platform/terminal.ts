import { isatty } from 'node:tty'

/** Which of the standard streams a person reads directly. */
export function terminals(): { out: boolean; err: boolean } {
  return { out: isatty(1), err: isatty(2) }
}
