import type { RuleInForce } from './rules.ts'
import type { SandboxNetwork } from './sandbox.ts'

export interface Inside {
  readonly rules: readonly RuleInForce[]
  readonly network: SandboxNetwork
  readonly cwd: string
  readonly program: string
  readonly args: readonly string[]
}

export interface BwrapPrograms {
  readonly bwrap: string
  /** Of coreutils: it can ignore signals for one program, and stop that for the next. */
  readonly env: string
}

/**
 * `plain`: of root, who can make namespaces without a user namespace. In one, the owners of most files would be unknown, and
 * root could not write them.
 */
export type BwrapMode = 'plain' | 'user-namespace'

/** What root may still do: none of these leads out of the sandbox, nor to a process outside. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'NET_BIND_SERVICE']

const SIGNALS = 'TERM,INT,HUP'

/**
 * bubblewrap around a program. A signal to the process group is the program's alone: a bwrap that dies of SIGTERM would
 * leave its exit status unknown, and in a pid namespace of fleet the program would die with it.
 */
export function bwrapArgv(inside: Inside, { bwrap, env }: BwrapPrograms, mode: BwrapMode): readonly string[] {
  const { rules, network, cwd, program, args } = inside
  const hidden = rules.filter(({ access, kind }) => access === 'none' && kind === 'folder')
  return [
    env,
    `--ignore-signal=${SIGNALS}`,
    bwrap,
    ...(mode === 'plain' ? [] : ['--unshare-user']),
    '--unshare-pid',
    '--unshare-ipc',
    ...(network === 'off' ? ['--unshare-net'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...rules.flatMap(mount),
    ...hidden.flatMap(({ path }) => ['--remount-ro', path]),
    ...(mode === 'plain' ? ['--cap-drop', 'ALL', ...CAPABILITIES.flatMap((name) => ['--cap-add', `CAP_${name}`])] : []),
    ...['--chdir', cwd, '--', env, `--default-signal=${SIGNALS}`, program],
    ...args,
  ]
}

function mount({ path, access, from = path, kind }: RuleInForce): string[] {
  if (access === 'write') return ['--bind', from, path]
  if (access === 'read') return ['--ro-bind', from, path]
  return kind === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}
