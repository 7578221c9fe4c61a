import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Proc } from '../../src/domain/run/run.ts'
import { localAgents } from '../../src/platform/process/agents.ts'
import { type Launcher, openLauncher } from '../../src/platform/process/launcher.ts'
import { namespaceWorks } from '../../src/platform/process/namespace.ts'
import type { Agents, RunPlace, StartOrder } from '../../src/ports/agents.ts'
import { temporaryFolder } from './cli.ts'

/** Whether this machine allows pid namespaces; if not, the tests that need them say so and are skipped. */
export const hasNamespace: boolean = await namespaceWorks()

if (!hasNamespace) console.warn('\n*** no pid namespaces here (not root): the tests that need them are SKIPPED ***\n')

/** Ends with the test's process. */
export const launcher: Launcher | undefined = await openLauncher()

if (launcher === undefined) console.warn('\n*** no perl here: the tests of the launcher are SKIPPED ***\n')

/** How a test's agents are started: by this launcher, or directly. */
export interface By {
  readonly launcher?: Launcher | undefined
}

export interface TestRun extends RunPlace {
  readonly agents: Agents
  readonly proc: Proc
  /** Resolves when the wrapper has ended. */
  readonly ended: Promise<void>
  /** The text of a file in the attempt's folder. */
  text(name: string): string
  exists(name: string): boolean
}

let count = 0

/** An empty attempt folder and a unique run id. Processes that the test leaves behind are killed. */
export function place(by: By = {}): RunPlace & { agents: Agents } {
  const folder = join(temporaryFolder(), 'attempt')
  mkdirSync(folder, { mode: 0o700 })
  const run = `test-${process.pid}-${++count}`
  const agents = localAgents(by)
  onTestFinished(async () => {
    const gone = (): boolean => (agents.sweep().get(run) ?? []).map((found) => agents.kill(found)).length === 0
    await eventually(gone, 'all processes of the test have ended')
  })
  return { agents, run, folder, proc: null }
}

/** Starts a shell script as an agent, in its attempt's folder. */
export function startScript(script: string, more: Partial<StartOrder> & By = {}): Promise<TestRun> {
  return startProgram('/bin/sh', ['-c', script], more)
}

export async function startProgram(
  program: string,
  args: readonly string[],
  { launcher, ...more }: Partial<StartOrder> & By = {},
): Promise<TestRun> {
  const { agents, run, folder } = place({ launcher })
  let resolve = (): void => {}
  const ended = new Promise<void>((done) => {
    resolve = done
  })
  const env = { PATH: process.env['PATH'] ?? '', FLEET_RUN_ID: run }
  const { output: _, ...proc } = await agents.start(
    { run, folder, program, args, cwd: folder, env, stdin: undefined, namespace: false, ...more },
    resolve,
  )
  return {
    agents,
    run,
    folder,
    proc,
    ended,
    text: (name) => readFileSync(join(folder, name), 'utf8'),
    exists: (name) => existsSync(join(folder, name)),
  }
}

/** Polls, because there is no event to wait for. */
export async function eventually(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 120_000
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within 120 s: ${what}`)
    await delay(5)
  }
}
