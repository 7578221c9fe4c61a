import { account } from '../runtime/machine.ts'
import { exec } from './exec.ts'
import { processTable } from './process-table.ts'
import { findProgram } from './program.ts'

/**
 * A pid namespace around a run: when its first process ends, the kernel kills all others, also those in other sessions.
 * The wrapper is that first process, because the kernel does not deliver SIGTERM to an agent in its place.
 */
export function inNamespace(argv: readonly string[], program: string): string[] {
  return [program, '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--', ...argv]
}

let unshare: string | undefined

/** Looked up once, because every start needs it. */
export function findUnshare(): string | undefined {
  unshare ??= findProgram('unshare', process.env)
  return unshare
}

/** Tries it. Only root can make one without a user namespace, which would break sudo for the agent. */
export async function namespaceWorks(): Promise<boolean> {
  const program = findUnshare()
  if (program === undefined || !account().isRoot || processTable().kind !== 'proc') return false
  const [file = '', ...argv] = inNamespace(['/bin/sh', '-c', 'test $$ -eq 1 && test -e /proc/1/stat'], program)
  const run = await exec(file, { argv, timeoutMs: 5000 })
  return run.kind === 'ended' && run.code === 0
}
