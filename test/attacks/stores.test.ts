import { chmodSync, existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { type Fleet, testFleet, until } from '../support/supervisor.ts'
import { ROWS } from './stores.rows.ts'

const { removes, deletes, unlocks, poses, shuts, pipes } = ROWS.attacks

/** Goes on until it is ended. */
const ON = 'while :; do sleep 0.1; done'

async function adopted(fleet: Fleet): Promise<void> {
  await fleet.start()
  await until(
    async () => fleet.log().some(({ event, is }) => event === 'run-found' && is === 'alive'),
    () => `the agent is adopted: ${JSON.stringify(fleet.log())}`,
  )
}

attack(removes, async (options) => {
  const fleet = testFleet(options)
  const id = fleet.create('Remove the store', `rm "$FLEET_HOME/fleet.db"; ${ON}`)
  await fleet.start()
  expect(await fleet.over()).toEqual({ code: 7, said: expect.stringMatching(/the store as it was is in .*backups/) })
  expect([fleet.alive(), existsSync(join(fleet.home.path, 'fleet.db'))]).toEqual([[], false])
  expect(fleet.fleet('doctor', '--restore')).toMatchObject({ code: 0 })
  expect(JSON.parse(fleet.fleet('show', id, '--json').stdout)).toMatchObject({ data: [{ id }] })
})

attack(deletes, async (options) => {
  const fleet = testFleet(options)
  fleet.create('Move the home', `mv "$FLEET_HOME" "$FLEET_HOME-moved"; ${ON}`)
  await fleet.start()
  expect(await fleet.over()).toEqual({ code: 7, said: expect.stringMatching(/the home, .*, is no longer there/) })
  expect([fleet.alive(), existsSync(fleet.home.path)]).toEqual([[], false])
  expect(fleet.fleet('tasks')).toMatchObject({ code: 3, stderr: expect.stringContaining('no fleet home at') })
  expect(existsSync(fleet.home.path)).toBe(false)
  renameSync(`${fleet.home.path}-moved`, fleet.home.path)
})

attack(unlocks, async (options) => {
  const fleet = testFleet(options)
  fleet.create('Remove the lock', `rm "$FLEET_HOME/lock.db" "$FLEET_HOME/supervisor.json"; ${ON}`)
  await fleet.start()
  expect(await fleet.over()).toEqual({ code: 7, said: expect.stringMatching(/its agents keep running/) })
  expect(fleet.alive()).toHaveLength(1)
  await adopted(fleet)
})

/** Goes on until it is killed, and says `posing` when it poses. */
const POSE = `node -e '
const { openSync, readFileSync, writeFileSync } = require("node:fs")
const home = process.env.FLEET_HOME
openSync(home + "/lock.db", "r")
openSync(home + "/lock.db.old", "a")
const stat = readFileSync("/proc/self/stat", "utf8")
const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
const record = JSON.parse(readFileSync(home + "/supervisor.json", "utf8"))
writeFileSync(home + "/supervisor.json", JSON.stringify({ ...record, pid: Number(stat.split(" ")[0]), startTime }))
process.on("SIGTERM", () => {})
setInterval(() => {}, 1000)
writeFileSync(process.env.FLEET_TASK_DIR + "/posing", "")'`

describe.runIf(process.platform === 'linux')('posing', () => {
  attack(poses, async (options) => {
    const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_attempts=1'] })
    const id = fleet.create('Pose', POSE)
    await fleet.start()
    await until(
      async () => fleet.exists(id, 'posing'),
      () => `it poses: ${fleet.text(id, 'attempts', '1', 'stderr.log')}`,
    )
    expect(JSON.parse(fleet.fleet('run', 'status', '--json').stdout)).toMatchObject({ running: true, pid: fleet.pid })
    await fleet.end('SIGKILL')
    expect(fleet.fleet('run', 'status')).toMatchObject({ stdout: expect.stringContaining('stopped') })
    await adopted(fleet)
    expect(fleet.fleet('run', 'stop')).toMatchObject({ code: 0 })
    expect([fleet.alive(), fleet.runs(id).map(({ outcome }) => outcome?.code)]).toEqual([[], ['stopped']])
  })
})

attack(shuts, async (options) => {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_concurrent=1', 'max_attempts=1'] })
  const first = fleet.create('Shut the folder', 'chmod 500 "$FLEET_HOME/tasks"')
  const others = [1, 2, 3].map((n) => fleet.create(`Other ${n}`, 'echo done'))
  await fleet.start()
  await fleet.ended(first)
  const tasks = join(fleet.home.path, 'tasks')
  const isShut = (statSync(tasks).mode & 0o200) === 0
  expect(isShut).toBe(true)
  if (options.uid !== undefined || process.getuid?.() !== 0) {
    await until(
      async () => fleet.log().some(({ event }) => event === 'claiming-stopped'),
      () => `claiming stops: ${JSON.stringify(fleet.log())}`,
    )
    const { attention } = JSON.parse(fleet.fleet('tasks', '--json').stdout)
    expect(attention).toContainEqual({ kind: 'machine', text: `${tasks} cannot be written: permission denied` })
  }
  chmodSync(tasks, 0o700)
  for (const id of others) await fleet.settled(id, 'closed')
})

attack(pipes, async (options) => {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_concurrent=1'] })
  const pipe = (name: string): string => `rm -f "$FLEET_HOME/${name}"; mkfifo "$FLEET_HOME/${name}"`
  fleet.create('Put pipes there', [pipe('runtime.toml'), pipe('wake'), pipe('logging/supervisor.out')].join('; '))
  const next = fleet.create('Next', 'echo done')
  await fleet.start()
  await fleet.settled(next, 'closed')
  for (const argv of [['tasks'], ['doctor'], ['config', 'show'], ['run', 'start']])
    expect(fleet.fleet(...argv)).toMatchObject({ code: expect.any(Number) })
})
