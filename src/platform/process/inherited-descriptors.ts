import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** In the flags of /proc/<pid>/fdinfo, which are octal. */
const CLOSE_ON_EXEC = 0o2000000

let closed = false

/**
 * Closes the descriptors that the shell or program which started this process left open, so that no program it starts
 * inherits them: `fleet run 40<secret`. Node marks only the first sixteen close-on-exec by itself, and all that it opens
 * later; the unmarked ones are therefore inherited. Call it before a program is started; it works once per process.
 *
 * A descriptor that the command line names stays open: `fleet bd import <(…)`. On macOS, and without /proc, there is
 * nothing to do or to see: macOS starts programs with the given descriptors only.
 */
export function closeInheritedDescriptors(argv: readonly string[] = process.argv): void {
  if (closed || process.platform !== 'linux') return
  closed = true
  const named = new Set(argv.flatMap((word) => NAMED.exec(word)?.[1] ?? []))
  for (const name of descriptors()) if (Number(name) > 2 && !named.has(name) && isInherited(name)) close(Number(name))
}

const NAMED = /\/fd\/(\d+)$/

function descriptors(): readonly string[] {
  try {
    return readdirSync('/proc/self/fd')
  } catch {
    return []
  }
}

function isInherited(name: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'latin1'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    return false // the descriptor of the listing itself
  }
}

function close(descriptor: number): void {
  try {
    closeSync(descriptor)
  } catch {
    // It is closed already.
  }
}
