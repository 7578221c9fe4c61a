import { AppError } from '../../errors.ts'
import { findProgram } from './program.ts'

/**
 * A shell around the agent. It records the agent's exit even if no supervisor is running.
 * Its text is constant. Its arguments: `$0` is the exit file, `$1` the agent's stdin, `$2` its umask, then the agent's argv.
 *
 * - Its own stdin is a line with its two keys (exit-file.ts): what it writes for exit status 0, and for all others. The agent
 *   shares its user, arguments and environment with it, so the keys are in its memory alone.
 * - `unset`: a variable that came with the environment would be exported to the agent.
 * - `set -C` lets only one process make the pid file: the wrapper that starts, or a supervisor that forbids the start.
 * - `trap :` and not `trap ''`: the wrapper survives a signal to its group, and the agent does not inherit the ignoring.
 * - The exit file is one write; without its line end it counts as not written.
 * - A file that an agent put in place of the exit file is removed first: it may be another name of a file of the user's.
 *   Where anything else is in the way, no exit is recorded.
 * - `1<>` and not `>`: opening a pipe for writing alone waits for a reader, should an agent put one there even now.
 */
export const WRAPPER = [
  'umask 077',
  'unset fleet_zero fleet_other',
  'IFS=" " read -r fleet_zero fleet_other || exit 125',
  'exec <"$1"',
  'set -C',
  'echo $$ >"$0.pid" || exit 125',
  'set +C',
  'trap : TERM INT HUP',
  'umask "$2"',
  'shift 2',
  '"$@"',
  'code=$?',
  'umask 077',
  'test $code -eq 0 || fleet_zero=$fleet_other',
  'test -z "$fleet_zero" || fleet_zero=",\\"key\\":\\"$fleet_zero\\""',
  'if [ -f "$0" ] && [ ! -h "$0" ]; then { /bin/rm -f "$0" || rm -f "$0"; } 2>/dev/null; fi',
  '[ -e "$0" ] || [ -h "$0" ] || echo "{\\"code\\":$code$fleet_zero}" 1<>"$0"',
  'exit $code',
].join('; ')

/** POSIX systems have it; a minimal container image may not. */
const SHELL = '/bin/sh'

/** Every agent is started through it. Throws AppError if this machine has none. */
export function requireShell(shell = SHELL): void {
  if (findProgram(shell, {}) !== undefined) return
  throw new AppError('unsupported', `there is no ${shell}, and fleet starts every agent through it`, {
    hint: `install a POSIX shell as ${shell}, such as dash, bash or busybox`,
  })
}

export interface Wrapped {
  readonly exitFile: string
  /** The file that the agent's stdin reads. */
  readonly stdin: string
  readonly umask: number
  readonly program: string
  readonly args: readonly string[]
}

export function wrapped({ exitFile, stdin, umask, program, args }: Wrapped): string[] {
  return [SHELL, '-c', WRAPPER, exitFile, stdin, umask.toString(8), program, ...args]
}
