import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { scratchBase } from '../../scripts/scratch.mjs'
import { copyHome, nameQueue } from './home-template.ts'

/** The built CLI, as a user runs it. test/support/build.ts builds it before the tests. */
export const FLEET = resolve(import.meta.dirname, '../../dist/fleet.cjs')

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly input?: string | Buffer
  /** Run as this user; only root can. */
  readonly uid?: number
}

export function run(file: string, argv: readonly string[], options: RunOptions = {}): Ran {
  const done = spawnSync(file, argv, {
    cwd: options.cwd,
    env: { ...scrubbed(), ...options.env },
    input: options.input ?? '',
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 120_000,
  })
  if (done.error !== undefined) throw done.error
  return { code: done.status, stdout: done.stdout, stderr: done.stderr }
}

/** The same, without blocking the other tests of the file. */
export async function runBeside(file: string, argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(file, argv, { cwd: options.cwd, env: { ...scrubbed(), ...options.env }, timeout: 120_000 })
  child.stdin.on('error', () => {}) // it may end without reading its input
  child.stdin.end(options.input ?? '')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

/** This process's environment, without variables that configure fleet, bd or an agent. */
export function scrubbed(): NodeJS.ProcessEnv {
  const env = { ...process.env }
  for (const name of Object.keys(env)) {
    if (
      name !== 'FLEET_PROCESS_TABLE' &&
      /^(FLEET|BD|BEADS|CLAUDE|NODE_EXTRA_CA_CERTS|NO_COLOR|FORCE_COLOR|VITEST|LANG|LC_)/.test(name)
    )
      delete env[name]
  }
  return { ...env, USER: 'tester' }
}

/** A folder for this test, removed when the test ends. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(scratchBase(), 'fleet-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export interface TestHome {
  readonly path: string
  /** A project folder that exists. */
  readonly project: string
  fleet(argv: readonly string[], options?: RunOptions): Ran
  bd(argv: readonly string[], options?: RunOptions): Ran
}

/**
 * A new home as `fleet init` makes it with these arguments, with these settings, and functions that run commands in it, as
 * this user.
 */
export function testHome(
  folder = temporaryFolder(),
  words: readonly string[] = [],
  uid?: number,
  settings: readonly string[] = [],
): TestHome {
  const path = join(folder, 'home')
  const project = join(folder, 'project')
  mkdirSync(project)
  if (uid !== undefined) chownSync(project, uid, uid)
  const fleet = (argv: readonly string[], options: RunOptions = {}): Ran =>
    run(process.execPath, [FLEET, ...argv], {
      cwd: project,
      ...(uid !== undefined && { uid }),
      ...options,
      env: { FLEET_HOME: path, ...options.env },
    })
  const must = (...argv: readonly string[]): void => {
    const made = fleet(argv)
    if (made.code !== 0) throw new Error(`fleet ${argv[0]} failed: ${made.stderr}`)
  }
  const isCopied = !existsSync(path) && (words.length === 0 || settings.length > 0)
  if (isCopied)
    copyHome(
      path,
      settings,
      (home, argv) => run(process.execPath, [FLEET, ...argv], { env: { FLEET_HOME: home } }),
      uid,
    )
  if (isCopied && words[1] !== undefined) nameQueue(path, words[1])
  if (!isCopied || words.length > 0) must('init', ...(words.includes('--queue') ? [] : ['--queue', 'local']), ...words)
  if (!isCopied && settings.length > 0) must('config', 'set', ...settings)
  return { path, project, fleet, bd: (argv, options) => fleet(['bd', ...argv], options) }
}
