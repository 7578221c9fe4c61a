import { account } from '../runtime/machine.ts'
import { exec } from './exec.ts'
import { findProgram } from './program.ts'

/**
 * A pid namespace around a run: when its first process goes, the kernel takes all the others, also those in sessions of
 * their own. The wrapper is that first process, because an agent in its place would not feel SIGTERM.
 */
export function inNamespace(argv: readonly string[], program: string): string[] {
  return [program, '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--', ...argv]
}

let unshare: string | undefined

/** Looked for once: every start asks. */
export function findUnshare(): string | undefined {
  unshare ??= findProgram('unshare', process.env)
  return unshare
}

/** Found out by doing it. Only root can without a user namespace, and that would break sudo for the agent. */
export async function namespaceWorks(): Promise<boolean> {
  const program = findUnshare()
  if (program === undefined || !account().isRoot) return false
  const [file = '', ...argv] = inNamespace(['/bin/sh', '-c', 'test $$ -eq 1 && test -e /proc/1/stat'], program)
  const run = await exec(file, { argv, timeoutMs: 5000 })
  return run.kind === 'ended' && run.code === 0
}
