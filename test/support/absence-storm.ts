import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { keepingEvidence } from '../../scripts/storm-evidence.mjs'
import { childrenWith } from './children.ts'
import {
  codeIn,
  countOf,
  fill,
  leftBehind,
  linesOf,
  makeHome,
  runsIn,
  type StormPlan,
  schemaOf,
  startSupervisor,
  untilDone,
} from './storm.ts'

/** Supervisors of several homes on one queue that are away for longer than their leases, again and again. */

export interface AbsencePlan
  extends Pick<StormPlan, 'folder' | 'server' | 'fleet' | 'env' | 'homes' | 'tasks' | 'napMs'> {
  /** Over all supervisors. The storm ends after so many, or when all work is done. */
  readonly absences: number
  /** Of which each lasts up to half as long again. */
  readonly leaseS: number
  readonly settings?: readonly string[]
}

export interface AbsenceReport {
  /** How often each kind happened. */
  readonly absences: Readonly<Record<string, number>>
  readonly seconds: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly unsettled: number
  readonly lost: readonly string[]
  /** Tasks that a second agent worked on while the first still did, by the agents' own locks. */
  readonly atOnce: readonly string[]
  /** Tasks whose agents reached their end more than once, one after the other: the first end was not settled in time. */
  readonly again: readonly string[]
  readonly orphans: readonly string[]
}

/** The longest that a supervisor works before it is away. */
const LONGEST_LIFE_MS = 6000

/**
 * Each agent holds a lock of its task: the kernel frees it when the last of its processes has gone. So the agents themselves
 * say whether two of them worked at once.
 */
function atWork(seconds: number): string {
  const lock = `perl -e 'open my $f, ">&=9" or die; exit !flock $f, 6'`
  return [
    'echo "$FLEET_TASK_ID" >>starts',
    'exec 9>>"lock-$FLEET_TASK_ID"',
    `${lock} || echo "$FLEET_TASK_ID" >>at-once`,
    `sleep ${seconds}`,
    'echo "$FLEET_TASK_ID" >>ends',
  ].join('\n')
}

/** Ways to be away. Each returns what brings the supervisor back; undefined: only a new one can. */
const ABSENCES: Readonly<Record<string, (pid: number) => (() => void) | undefined>> = {
  killed: (pid) => signalAll([pid], 'SIGKILL'),
  stopped: (pid) => signalAll([pid], 'SIGSTOP'),
  'stopped with its launcher': (pid) => signalAll([...childrenWith('(starts agents)', pid), pid], 'SIGSTOP'),
  'killed, its launcher stopped': (pid) => {
    const launchers = childrenWith('(starts agents)', pid)
    signalAll(launchers, 'SIGSTOP')
    signalAll([pid], 'SIGKILL')
    setTimeout(() => signalAll(launchers, 'SIGCONT'), 1000).unref()
    return undefined
  },
}

export async function absenceStorm(plan: AbsencePlan): Promise<AbsenceReport> {
  return await keepingEvidence(plan.folder, {
    storm: () => rage(plan),
    isGood: ({ lost, atOnce, orphans, unsettled }) => lost.length + atOnce.length + orphans.length + unsettled === 0,
  })
}

async function rage(plan: AbsencePlan): Promise<AbsenceReport> {
  const { folder, server } = plan
  const project = join(folder, 'absences')
  mkdirSync(project)
  const url = server.newUrl()
  const settings = [`timeouts.lease=${plan.leaseS}s`, ...(plan.settings ?? [])]
  const homes = Array.from({ length: plan.homes }, (_, n) =>
    makeHome({ ...plan, settings }, join(project, `home-${n}`), url),
  )
  const scripts = Array.from({ length: plan.tasks }, (_, n) => atWork((((n % 4) + 1) * plan.napMs) / 4000))
  fill(plan, { home: homes[0] as string, cwd: project, scripts })
  const began = Date.now()
  const happened: string[] = []
  let isDone = false
  const work = Promise.all(
    homes.map((home) =>
      superviseThrough(plan, home, { isOver: () => isDone || happened.length >= plan.absences, happened }),
    ),
  )
  await Promise.race([untilDone(server, url), work])
  isDone = true
  const ends = await work
  await untilDone(server, url)
  const seconds = (Date.now() - began) / 1000
  for (const end of ends) await end()
  const statuses = await server.query(`select id, status from ${schemaOf(url)}.task`)
  writeFileSync(join(project, 'statuses.json'), JSON.stringify(statuses))
  const finished = countOf(linesOf(join(project, 'ends')))
  const runs = homes.flatMap(runsIn)
  return {
    absences: Object.fromEntries(countOf(happened)),
    seconds,
    outcomes: Object.fromEntries(countOf(runs.map(({ outcome }) => codeIn(outcome)))),
    unsettled: runs.filter(({ phase }) => phase !== 'settled').length,
    lost: statuses
      .filter(({ id, status }) => status !== 'closed' || !finished.has(String(id)))
      .map(({ id }) => String(id)),
    atOnce: linesOf(join(project, 'at-once')),
    again: [...finished].filter(([, times]) => times > 1).map(([id]) => id),
    orphans: await leftBehind(homes),
  }
}

async function superviseThrough(
  { fleet, env, leaseS }: AbsencePlan,
  home: string,
  { isOver, happened }: { isOver(): boolean; happened: string[] },
): Promise<() => Promise<void>> {
  const start = (): { child: ChildProcess; exited: Promise<unknown> } => {
    const child = startSupervisor({ fleet, env }, home)
    return { child, exited: once(child, 'exit') }
  }
  let { child, exited } = start()
  while (!isOver()) {
    await pause(2000 + Math.random() * LONGEST_LIFE_MS)
    if (isOver()) break
    const names = Object.keys(ABSENCES)
    const name = names[happened.length % names.length] as string
    happened.push(name)
    const comeBack = ABSENCES[name]?.(child.pid as number)
    await pause(leaseS * 1000 * (1 + Math.random() / 2))
    if (comeBack !== undefined) comeBack()
    else {
      await exited
      ;({ child, exited } = start())
    }
  }
  return async () => {
    child.kill('SIGTERM')
    await exited
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): (() => void) | undefined {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has just ended.
    }
  }
  return signal === 'SIGSTOP' ? () => void signalAll([...pids].reverse(), 'SIGCONT') : undefined
}
