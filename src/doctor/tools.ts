import { CODERS } from '../coders/registry.ts'
import { versionIn } from '../domain/text/version.ts'
import { AppError } from '../errors.ts'
import { findBd } from '../home/bd.ts'
import { workingDirectory } from '../platform/files/paths.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import { gitProgram } from '../platform/git/program.ts'
import { exec, outputText, VERSION_BYTES } from '../platform/process/exec.ts'
import { findProgram } from '../platform/process/program.ts'
import { missingPrograms } from '../platform/process/useful-programs.ts'
import { requireShell } from '../platform/process/wrapper.ts'
import type { Check } from './check.ts'

const TIMEOUT_MS = 5000
/** The oldest minor version of each major version. Newer major versions are all supported, others are not. */
const NODES: ReadonlyMap<number, number> = new Map([
  [20, 19],
  [22, 3],
])

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const enough = major > Math.max(...NODES.keys()) || minor >= (NODES.get(major) ?? Number.POSITIVE_INFINITY)
  if (enough) return { name: 'node', state: 'ok', found: version }
  return {
    name: 'node',
    state: 'fail',
    found: `${version}, fleet needs 20.19, or 22.3 and newer`,
    todo: 'install a newer Node',
  }
}

/** Every agent is started through the shell; the launcher is a perl program. */
export function checkStarters(env: NodeJS.ProcessEnv): Check[] {
  return [checkShell(), ...checkPerl(env)]
}

function checkShell(): Check {
  try {
    requireShell()
    return { name: 'shell', state: 'ok', found: '/bin/sh' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return {
      name: 'shell',
      state: 'fail',
      found: error.message,
      ...(error.hint === undefined ? {} : { todo: error.hint }),
    }
  }
}

function checkPerl(env: NodeJS.ProcessEnv): Check[] {
  const missing = missingPrograms(env).find(({ program }) => program === 'perl')
  if (missing !== undefined) {
    return [{ name: 'perl', state: 'warn', found: `not found on PATH: ${missing.effect}`, todo: 'install perl' }]
  }
  const path = findProgram('perl', env)
  return path === undefined ? [] : [{ name: 'perl', state: 'ok', found: path }]
}

export async function checkGit(env: NodeJS.ProcessEnv): Promise<Check> {
  const path = gitProgram(env, checkoutAt(workingDirectory(env))?.root)
  if (path === undefined) {
    return {
      name: 'git',
      state: 'warn',
      found: `not found on PATH: ${missingPrograms(env).find(({ program }) => program === 'git')?.effect}`,
      todo: 'install git',
    }
  }
  const version = await versionOf(path, env)
  return {
    name: 'git',
    state: version === undefined ? 'warn' : 'ok',
    found: `${version ?? 'does not answer'} (${path})`,
  }
}

/** `needed`: bd keeps the tasks of this home. */
export async function checkBd(env: NodeJS.ProcessEnv, { needed = false } = {}): Promise<Check> {
  const name = 'bd'
  const bd = await findBd(env)
  if (bd.kind === 'usable') {
    const use = needed ? 'keeps the tasks of this home' : 'the queue of this home does not need it'
    return { name, state: needed ? 'ok' : 'info', found: `${bd.version} (${bd.path}); ${use}` }
  }
  const found =
    bd.kind === 'none'
      ? 'not found on PATH'
      : bd.kind === 'refused'
        ? `${bd.version} (${bd.path}) ${bd.why}`
        : `${bd.path} does not say its version`
  if (needed)
    return { name, state: 'fail', found, todo: 'install a bd that keeps the tasks of this home: 1.3.0, for example' }
  if (bd.kind === 'none') return { name, state: 'info', found: `${found}; the local queue does not need it` }
  return { name, state: 'warn', found, todo: 'the local queue does not need it' }
}

export interface UsualCoders {
  /** The coders that the configuration names: a missing one is worth a warning. */
  readonly wanted: ReadonlySet<string>
  /** The coders that the configuration starts with another command. */
  readonly except: ReadonlySet<string>
}

export async function checkCoders(env: NodeJS.ProcessEnv, { wanted, except }: UsualCoders): Promise<Check[]> {
  const clis = CODERS.flatMap(({ name, program, knowledge }) =>
    program === undefined || except.has(name) ? [] : [{ name, program, knowledge }],
  )
  return await Promise.all(
    clis.map(async ({ name, program, knowledge }): Promise<Check> => {
      const path = findProgram(program, env)
      const title = `coder ${name}`
      if (path === undefined) {
        if (!wanted.has(name)) return { name: title, state: 'info', found: 'not found on PATH' }
        return {
          name: title,
          state: 'warn',
          found: 'not found on PATH, but runtime.toml wants it',
          todo: `install ${program}, or fleet config set coder=...`,
        }
      }
      const version = await versionOf(path, env)
      if (version === undefined)
        return {
          name: title,
          state: 'warn',
          found: `${path} does not answer --version within 5 s`,
          todo: `run ${program} --version`,
        }
      const aside = knowledge.proven ? '' : '; fleet knows it from what others wrote, untried'
      return { name: title, state: 'ok', found: `${version} (${path})${aside}` }
    }),
  )
}

async function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const run = await exec(path, { argv: ['--version'], timeoutMs: TIMEOUT_MS, maxBytes: VERSION_BYTES, env })
  return run.kind === 'ended' && run.code === 0 ? versionIn(outputText(run)) : undefined
}
