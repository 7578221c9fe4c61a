/**
 * What stands between fleet and an agent: a shell that records how the agent ended, whoever is there to see it.
 * The text is constant and everything else an argument: `$0` the exit file, `$1` the umask the agent gets, then its argv.
 *
 * - The pid file is made by `set -C`, so only one can make it: the wrapper that starts, or whoever forbids the start.
 * - `trap :` and not `trap ''`: the wrapper survives a signal to its group, and the agent does not inherit the ignoring.
 * - The exit file is one write; without its line end it is not there yet.
 * - `1<>` and not `>`: an agent can put a pipe in its place, and to open one for writing alone is to wait for a reader.
 *   Nothing is cut off, so of a longer text that an agent wrote there a part stays, and it is no exit.
 */
const WRAPPER = [
  'umask 077',
  'set -C',
  'echo $$ >"$0.pid" || exit 125',
  'set +C',
  'trap : TERM INT HUP',
  'umask "$1"',
  'shift',
  '"$@"',
  'code=$?',
  'umask 077',
  'echo "{\\"code\\":$code}" 1<>"$0"',
  'exit $code',
].join('; ')

export interface Wrapped {
  readonly exitFile: string
  readonly umask: number
  readonly program: string
  readonly args: readonly string[]
}

export function wrapped({ exitFile, umask, program, args }: Wrapped): string[] {
  return ['/bin/sh', '-c', WRAPPER, exitFile, umask.toString(8), program, ...args]
}
