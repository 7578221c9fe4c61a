import { type OutputOf, outputOf } from '../platform/process/output-of.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 16 << 20

/** Reads only: no lock is taken, and nothing that a repository's configuration names as hook or monitor is run. */
const QUIET = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'log.showSignature=false'].flatMap((set) => [
  '-c',
  set,
])

/** Asks git about the checkout at `cwd`. */
export function git(cwd: string, ...argv: readonly string[]): Promise<OutputOf> {
  return outputOf('git', {
    argv: ['-C', cwd, ...QUIET, ...argv],
    env: gitEnvironment(process.env),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
}

/** What a surrounding git has set (a hook started the supervisor) would point at another repository. */
function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_CONFIG_'))
  return { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
}

/** What git said, or undefined where it failed. */
export function said(output: OutputOf): string | undefined {
  return output.kind === 'ended' && output.code === 0 ? output.out.toString('utf8') : undefined
}

export function whyNot(output: OutputOf): string {
  if (output.kind === 'failed') return `git ${output.why}`
  return `git ended with ${output.code}: ${output.err.trim().split('\n')[0] ?? ''}`
}

export interface DirtyPath {
  readonly path: string
  /** `S…` for a submodule, with what changed in it. */
  readonly submodule: string
  readonly tracked: boolean
}

/** `git status --porcelain=v2 -z --no-renames`. What this version does not know is left out. */
export function statusPaths(text: string): DirtyPath[] {
  const paths: DirtyPath[] = []
  const records = text.split('\0')
  for (let i = 0; i < records.length; i++) {
    const record = records[i] as string
    const fields = FIELDS_BEFORE_PATH[record[0] ?? '']
    if (record[0] === '2') i++ // the name it had before
    if (fields === undefined) continue
    const words = record.split(' ')
    const path = words.slice(fields).join(' ')
    const tracked = record[0] !== '?'
    if (path !== '') paths.push({ path, tracked, submodule: tracked ? (words[2] ?? '') : '' })
  }
  return paths
}

const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 }
