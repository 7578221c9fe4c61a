import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { attack } from '../support/attack.ts'
import { run } from '../support/cli.ts'
import { deedOn, LOCKS } from '../support/damage.ts'
import { withOneAttempt } from '../support/damage-fleet.ts'
import { type Fleet, type FleetOptions, init, result, testFleet, tool, until, writes } from '../support/supervisor.ts'
import { ROWS } from './slots.rows.ts'

const { damage, stopping, nextSupervisor, reading, unrepairable, otherRun, otherFiles } = ROWS.attacks

/** Tasks whose agents have done one deed each, then do this; waits until all have. */
async function afterTheDeed(fleet: Fleet, then: string): Promise<readonly string[]> {
  const names = Object.keys(LOCKS)
  const ids = Object.entries(LOCKS).map(([name, [target, deed]]) =>
    fleet.create(name, `${deedOn(target, deed)}\n: >'${fleet.home.project}/did ${name}'\n${then}`),
  )
  await fleet.start()
  await until(
    async () => names.every((name) => existsSync(join(fleet.home.project, `did ${name}`))),
    () => 'all have done it',
  )
  return ids
}

describe('stopping', () => {
  const REFUSES = "trap '' TERM INT HUP; while :; do sleep 600; done"

  attack(stopping, async (options) => {
    const fleet = withOneAttempt(options)
    const [killed = '', ...others] = await afterTheDeed(fleet, REFUSES)
    expect(fleet.fleet('kill', killed)).toMatchObject({ code: 0 })
    await fleet.settled(killed, 'blocked')
    expect(fleet.fleet('tasks')).toMatchObject({ code: 0 })
    expect(fleet.fleet('run', 'stop')).toMatchObject({ code: 0 })
    for (const id of others) await fleet.settled(id, 'open')
    expect(others.map((id) => fleet.runs(id).map(({ outcome }) => outcome?.code))).toEqual(
      others.map(() => ['stopped']),
    )
  })
})

describe('the next supervisor', () => {
  attack(nextSupervisor, async (options) => {
    const fleet = withOneAttempt(options)
    const ids = await afterTheDeed(fleet, `until [ -e '${fleet.home.project}/go' ]; do sleep 0.05; done`)
    // One is alive when it is adopted, and one more time it ends while there is no supervisor.
    await fleet.start('SIGKILL')
    await until(
      async () => fleet.log().filter(({ event, is }) => event === 'run-found' && is === 'alive').length === ids.length,
      () => `all are adopted: ${JSON.stringify(fleet.log())}`,
    )
    await fleet.end('SIGKILL')
    fleet.touch('go')
    await fleet.start()
    for (const id of ids) await fleet.settled(id, 'blocked')
    expect(ids.map((id) => fleet.runs(id).map(({ outcome }) => outcome?.code))).toEqual(
      ids.map(() => ['evidence-destroyed']),
    )
  })
})

describe('between two attempts', () => {
  attack(damage, async (options) => {
    const fleet = testFleet(options)
    const { project, path } = fleet.home
    const once = `mkdir '${project}/'"$FLEET_TASK_ID" || exit 0; until [ -e '${project}/go' ]; do sleep 0.05; done; exit 1`
    const ids = Object.keys(LOCKS).map((name) => fleet.create(name, once))
    await fleet.start()
    await until(
      async () => ids.every((id) => existsSync(join(project, id))),
      () => 'all have begun',
    )
    // No second attempt begins before the deeds are done, however busy the machine is.
    expect(fleet.fleet('pause')).toMatchObject({ code: 0 })
    fleet.touch('go')
    for (const id of ids) await fleet.ended(id)
    for (const [at, [target, deed]] of Object.values(LOCKS).entries()) {
      const env = { FLEET_TASK_DIR: join(path, 'tasks', ids[at] ?? '') }
      run('sh', ['-c', deedOn(target, deed)], { env, ...(options.uid === undefined ? {} : { uid: options.uid }) })
    }
    expect(fleet.fleet('resume')).toMatchObject({ code: 0 })
    for (const id of ids) await fleet.settled(id, 'closed')
    expect(ids.map((id) => fleet.runs(id).map(({ outcome }) => outcome?.code))).toEqual(
      ids.map(() => ['error', 'done']),
    )
  })
})

describe('reading', () => {
  const FILES = {
    plan: 'artifacts/PLAN_AND_STATUS.md',
    knowledge: 'artifacts/KNOWLEDGE.md',
    events: 'events.jsonl',
    log: 'log.jsonl',
    prompt: 'attempts/1/prompt.md',
    receipt: 'attempts/1/receipt.json',
    stderr: 'attempts/1/stderr.log',
    output: 'attempts/1/stdout.jsonl',
    diff: 'attempts/1/launch.json',
  }
  const OTHERS = ['task.json', 'task.json.refused', 'artifacts/Q&A.md']
  const PUT = {
    pipe: (path: string) => `mkfifo "${path}"`,
    'huge file': (path: string) => `truncate -s 5G "${path}"`,
    ...(process.getuid?.() === 0 && { 'endless device': (path: string) => `mknod "${path}" c 1 5` }),
  }

  attack(reading, async (options) => {
    const fleet = withOneAttempt(options)
    const ids = Object.keys(PUT).map((name) =>
      fleet.create(name, [init, writes('x.txt'), tool({ fleet: ['done', 'x'] }), result()]),
    )
    await fleet.start()
    for (const id of ids) await fleet.settled(id, 'closed')
    await fleet.end('SIGTERM')
    for (const [at, put] of Object.values(PUT).entries()) {
      const id = ids[at] ?? ''
      const folder = join(fleet.home.path, 'tasks', id)
      const paths = [...Object.values(FILES), ...OTHERS].map((path) => `${folder}/${path}`)
      expect(run('sh', ['-c', paths.map((path) => `rm -f "${path}"; ${put(path)}`).join('; ')]).code).toBe(0)
      // Reading is the same for every user, so as the second one each command is tried with one of them.
      const isSecond = options.uid !== undefined
      for (const name of Object.keys(FILES).filter((_, n) => !isSecond || n % ids.length === at)) {
        const { code, stderr } = fleet.fleet('task', id, name, '--json')
        const says = name === 'diff' ? 'its directory was no git checkout' : folder
        // The ledger has the receipt and the record of the start, where no agent can write.
        expect({ name, code, stderr }).toMatchObject({
          code: name === 'receipt' ? 0 : 1,
          stderr: expect.stringContaining(says),
        })
      }
      expect(fleet.fleet('task', id, 'transcript', '--json').code).toBe(1)
      expect(fleet.fleet('show', id)).toMatchObject({ code: 0 })
      expect(fleet.fleet('show', id, '--json')).toMatchObject({ code: 0 })
    }
    expect(fleet.fleet('tasks')).toMatchObject({ code: 0 })
  })
})

describe('damage beyond repair', () => {
  /** Only root can make such damage, so the test is the agent's `sudo`. */
  const spoil = (folder: string, { uid }: FleetOptions): boolean => {
    const sh = (script: string) => spawnSync('sh', ['-c', script], { cwd: folder }).status === 0
    onTestFinished(() => void sh(uid === undefined ? 'umount attempts' : 'chattr -i .'))
    return sh(uid === undefined ? 'mount --bind attempts attempts && mount -o remount,bind,ro attempts' : 'chattr +i .')
  }

  attack(unrepairable, async (options) => {
    if (process.getuid?.() !== 0) return
    const fleet = testFleet(options)
    const id = fleet.create('Spoilt', 'exit 1')
    await fleet.start()
    await fleet.ended(id)
    const folder = join(fleet.home.path, 'tasks', id)
    expect(spoil(folder, options)).toBe(true)
    const honest = fleet.create('Honest', 'exit 0')
    await fleet.settled(honest, 'closed')
    await fleet.settled(id, 'blocked')
    const part = options.uid === undefined ? `${folder}/attempts` : folder
    expect(fleet.ledger.stateOf(id)).toMatchObject({
      lastOutcome: { code: 'unusable-folder' },
      waiting: expect.stringMatching(
        `^its folder cannot be used, because .*: move ${part} away, then run fleet retry ${id}$`,
      ),
    })
    expect(fleet.fleet('show', id).stdout).toContain('its folder cannot be used')
  })
})

describe("another task's run", () => {
  attack(otherRun, async (options) => {
    const fleet = withOneAttempt(options)
    const waits = `: >'${fleet.home.project}/began'; until [ -e '${fleet.home.project}/go' ]; do sleep 0.05; done`
    const victim = fleet.create('Works', waits)
    const folder = join(fleet.home.path, 'tasks', victim)
    const hostile = fleet.create(
      'Spoils it',
      `until [ -e '${fleet.home.project}/began' ]; do sleep 0.05; done; chmod 000 '${folder}/attempts'; : >'${fleet.home.project}/go'`,
    )
    await fleet.start()
    await fleet.settled(hostile, 'closed')
    await fleet.settled(victim, 'blocked')
    expect(fleet.receipt(victim).outcome).toEqual({
      code: 'evidence-destroyed',
      text: 'evidence of its run was destroyed: attempts was made unreadable',
    })
  })
})

describe("a file of the user's", () => {
  const NAMES = [
    'events.jsonl',
    'log.jsonl',
    '.failures',
    'attempts/1/exit.json',
    'attempts/1/receipt.json',
    'attempts/1/launch.json',
  ]

  attack(otherFiles, async (options) => {
    const fleet = withOneAttempt(options)
    const precious = join(fleet.home.project, 'precious')
    writeFileSync(precious, 'keep me\n', { mode: 0o400 })
    if (options.uid !== undefined) chownSync(precious, options.uid, options.uid)
    const linked = (link: string) =>
      `cd "$FLEET_TASK_DIR"; for name in ${NAMES.join(' ')}; do rm -f $name; ${link} '${precious}' $name; done; sleep 1.2`
    const ids = ['ln', 'ln -s'].map((link) => fleet.create(link, linked(link)))
    await fleet.start()
    for (const id of ids) await fleet.settled(id, 'blocked')
    expect({ text: readFileSync(precious, 'utf8'), mode: statSync(precious).mode & 0o777 }).toEqual({
      text: 'keep me\n',
      mode: 0o400,
    })
  })
})
