import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keepingEvidence } from '../../scripts/storm-evidence.mjs'
import { Database } from '../../src/platform/sqlite/database.ts'
import type { TestServer } from './postgres-server.ts'

/** Supervisors of several homes on one queue, killed at random moments, while its server is restarted. */

export interface StormPlan {
  readonly folder: string
  readonly server: TestServer
  /** The built program. */
  readonly fleet: string
  readonly env: NodeJS.ProcessEnv
  readonly homes: number
  readonly tasks: number
  /** The longest that a task sleeps. */
  readonly napMs: number
  /** Over all supervisors. The storm ends after this many kills and restarts, or when all work is done. */
  readonly kills: number
  readonly restarts: number
  /** The longest life of a supervisor: short enough that kills hit its start as often as its work. */
  readonly longestLifeMs: number
  readonly settings?: readonly string[]
}

export interface StormReport {
  readonly kills: number
  readonly restarts: number
  readonly seconds: number
  /** The count of each outcome over all runs of all homes. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Runs that the ledgers have not settled. */
  readonly unsettled: number
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  readonly orphans: readonly string[]
}

/** How long the remaining work may take after the storm: longer than a lease. */
const PATIENCE_MS = 150_000

export async function storm(plan: StormPlan): Promise<StormReport> {
  return await keepingEvidence(plan.folder, {
    storm: () => rage(plan),
    isGood: ({ lost, twice, orphans, unsettled }) => lost.length + twice.length + orphans.length + unsettled === 0,
  })
}

async function rage(plan: StormPlan): Promise<StormReport> {
  const { folder, server } = plan
  const project = join(folder, 'project')
  mkdirSync(project)
  const url = server.newUrl()
  const homes = Array.from({ length: plan.homes }, (_, n) => makeHome(plan, join(folder, `home-${n}`), url))
  // Each task records its start, so that a second start is detected.
  const nap = (n: number) => `echo "$FLEET_TASK_ID" >>starts\nsleep ${((n % 8) * plan.napMs) / 7000}\n`
  const scripts = Array.from({ length: plan.tasks }, (_, n) => nap(n))
  fill(plan, { home: homes[0] as string, cwd: project, scripts })
  const began = Date.now()
  const told = { kills: 0, restarts: 0 }
  let left = plan.tasks
  const raging = () => left > 0 && (told.kills < plan.kills || told.restarts < plan.restarts)
  const restarted = async () => {
    told.restarts++
    left = await unfinished(server, url)
  }
  const [ends] = await Promise.all([
    Promise.all(homes.map((home) => superviseThrough(plan, home, { raging, killed: () => told.kills++ }))),
    restartAgainAndAgain(server, { raging, restarted }),
  ])
  await untilDone(server, url)
  const seconds = (Date.now() - began) / 1000
  for (const end of ends) await end()
  const statuses = await server.query(`select id, status from ${schemaOf(url)}.task`)
  writeFileSync(join(folder, 'statuses.json'), JSON.stringify(statuses))
  const starts = countOf(linesOf(join(project, 'starts')))
  const runs = homes.flatMap(runsIn)
  return {
    ...told,
    seconds,
    outcomes: Object.fromEntries(countOf(runs.map(({ outcome }) => codeIn(outcome)))),
    unsettled: runs.filter(({ phase }) => phase !== 'settled').length,
    lost: statuses
      .filter(({ id, status }) => status !== 'closed' || !starts.has(String(id)))
      .map(({ id }) => String(id)),
    twice: [...starts].filter(([, times]) => times > 1).map(([id]) => id),
    orphans: await leftBehind(homes),
  }
}

type Surroundings = Pick<StormPlan, 'folder' | 'fleet' | 'env'>

export function makeHome(
  { fleet, env, settings = [] }: Surroundings & Pick<StormPlan, 'settings'>,
  home: string,
  url: string,
): string {
  for (const words of [
    ['init', '--queue', url],
    ['config', 'set', 'coder=shell', 'timeouts.grace=1s', ...settings],
  ]) {
    const done = spawnSync(process.execPath, [fleet, ...words], { env: { ...env, FLEET_HOME: home }, encoding: 'utf8' })
    if (done.status !== 0) throw new Error(`fleet ${words.join(' ')}: ${done.stderr}`)
  }
  return home
}

/** `scripts`: one task each. */
export function fill(
  { fleet, env, folder }: Surroundings,
  { home, cwd, scripts }: { home: string; cwd: string; scripts: readonly string[] },
): void {
  const at = '2026-01-01T00:00:00Z'
  const lines = scripts.map((description, n) =>
    JSON.stringify({
      _type: 'issue',
      id: `fleet-${n.toString(36).padStart(4, '0')}`,
      title: `Task ${n}`,
      description,
      status: 'open',
      priority: n % 5,
      issue_type: 'task',
      created_at: at,
      updated_at: at,
      metadata: { fleet: { cwd, coder: 'shell' } },
    }),
  )
  const file = join(folder, 'tasks.jsonl')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const argv = [fleet, 'bd', 'import', file]
  const done = spawnSync(process.execPath, argv, { env: { ...env, FLEET_HOME: home }, cwd, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`fleet bd import: ${done.stderr}`)
}

/** The delay before a restart, as a service manager has: without it the test would spin while the server is down. */
const START_AGAIN = 200

/** Runs one supervisor after the other on a home. After the storm the last one keeps working; the result ends it. */
async function superviseThrough(
  { fleet, env, longestLifeMs }: StormPlan,
  home: string,
  { raging, killed }: { raging(): boolean; killed(): void },
): Promise<() => Promise<void>> {
  const start = () => {
    const child = startSupervisor({ fleet, env }, home)
    return { child, exited: once(child, 'exit') }
  }
  while (raging()) {
    const { child, exited } = start()
    const life = pause(Math.random() * longestLifeMs)
    await Promise.race([life, exited])
    // It ends by itself if the server is down at its start.
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      killed()
    } else await pause(START_AGAIN)
    await exited
  }
  let last = start()
  let over = false
  const keepUp = async (): Promise<void> => {
    for (;;) {
      await last.exited
      if (over) return
      await pause(START_AGAIN)
      // Asked again: what is started after the end would be left behind.
      if (over) return
      last = start()
    }
  }
  const kept = keepUp()
  return async () => {
    over = true
    last.child.kill('SIGTERM')
    await kept
  }
}

/** What it prints goes to a file beside its home. */
export function startSupervisor({ fleet, env }: Pick<StormPlan, 'fleet' | 'env'>, home: string): ChildProcess {
  const printed = openSync(`${home}.out`, 'a')
  try {
    const stdio: StdioOptions = ['ignore', printed, printed]
    return spawn(process.execPath, [fleet, 'run', '--quiet'], { env: { ...env, FLEET_HOME: home }, stdio })
  } finally {
    closeSync(printed)
  }
}

async function restartAgainAndAgain(
  server: TestServer,
  { raging, restarted }: { raging(): boolean; restarted(): Promise<void> },
): Promise<void> {
  for (let times = 0; raging(); times++) {
    await pause(500 + Math.random() * 3000)
    await server.stop(times % 2 === 0 ? 'immediate' : 'fast')
    await pause(Math.random() * 1000)
    await server.start()
    await restarted()
  }
}

export async function untilDone(server: TestServer, url: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    if ((await unfinished(server, url)) === 0) return
    await pause(200)
  }
}

async function unfinished(server: TestServer, url: string): Promise<number> {
  const [row] = await server.query(`select count(*) as n from ${schemaOf(url)}.task where status <> 'closed'`)
  return Number(row?.['n'])
}

export function schemaOf(url: string): string {
  return new URL(url).searchParams.get('schema') ?? ''
}

export function runsIn(home: string): { outcome: string | null; phase: string }[] {
  using db = new Database(join(home, 'fleet.db'), { readOnly: true })
  return db.once<{ outcome: string | null; phase: string }>('select outcome, phase from run').all()
}

export function codeIn(outcome: string | null): string {
  return outcome === null ? 'none' : JSON.parse(outcome).code
}

export function countOf(words: readonly string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1)
  return times
}

export function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
}

/** Processes that still have one of the homes in their environment, after some time to end. */
export async function leftBehind(homes: readonly string[]): Promise<string[]> {
  const wanted = new Set(homes.map((home) => `FLEET_HOME=${home}`))
  const living = () =>
    readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1')
          .split('\0')
          .some((variable) => wanted.has(variable))
      } catch {
        return false // ended, or owned by another user
      }
    })
  for (let tries = 0; tries < 30 && living().length > 0; tries++) await pause(100)
  return living().map((pid) => `pid ${pid}`)
}
