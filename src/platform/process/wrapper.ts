/**
 * A shell around the agent. It records the agent's exit even if no supervisor is running.
 * Its text is constant. Its arguments: `$0` is the exit file, `$1` the agent's umask, then the agent's argv.
 *
 * - `set -C` lets only one process make the pid file: the wrapper that starts, or a supervisor that forbids the start.
 * - `trap :` and not `trap ''`: the wrapper survives a signal to its group, and the agent does not inherit the ignoring.
 * - The exit file is one write; without its line end it counts as not written.
 * - `1<>` and not `>`: an agent can put a pipe there, and opening a pipe for writing alone waits for a reader. The file
 *   is not truncated: if an agent wrote a longer text, its tail stays and makes the record invalid.
 */
export const WRAPPER = [
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
