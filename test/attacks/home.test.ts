import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Step } from '../stub-agent/stub-as.ts'
import { attack } from '../support/attack.ts'
import {
  claims,
  type Fleet,
  type FleetOptions,
  init,
  result,
  testFleet,
  tool,
  until,
  writes,
} from '../support/supervisor.ts'
import { ROWS } from './home.rows.ts'

const {
  config,
  configAtOnce,
  configRemoved,
  queue,
  riding,
  decides,
  coder,
  newCoder,
  launcher,
  compiled,
  taskFile,
  taskFileBroken,
  answersForYou,
} = ROWS.attacks

/** An agent that does this, and then waits for the file `go`. */
function agent(fleet: Fleet, ...steps: readonly Step[]): readonly Step[] {
  return [
    init,
    tool(...steps, { touch: join(fleet.home.project, 'tampered') }),
    tool({ waitFor: join(fleet.home.project, 'go') }),
    writes('x.txt'),
    claims(),
    result(),
  ]
}

const sh = (script: string): Step => ({ run: ['/bin/sh', '-c', script] })

interface Row {
  readonly kind: string
  readonly file?: string
}

function needs(fleet: Fleet): readonly Row[] {
  return JSON.parse(fleet.fleet('tasks', '--json').stdout).attention
}

async function noticed(fleet: Fleet, file: string): Promise<void> {
  await until(
    async () => fleet.log().some((line) => line.event === 'file-changed' && line['file'] === file),
    () => `${file} is reported: ${JSON.stringify(fleet.log().slice(-5))}`,
  )
}

const inForce = (fleet: Fleet, key: string): string => fleet.fleet('config', 'get', key).stdout.trim()
const runtime = (fleet: Fleet): string => readFileSync(join(fleet.home.path, 'runtime.toml'), 'utf8')

attack(config, async (options) => {
  const fleet = testFleet(options)
  const edit = sh('sed -i s/^max_concurrent.*/max_concurrent=999/ "$FLEET_HOME/runtime.toml"')
  const steps = agent(fleet, edit)
  const [one, two] = [fleet.create('Edits it', steps), fleet.create('Is beside', steps.toSpliced(1, 1))]
  await fleet.start()
  for (const id of [one, two]) await fleet.started(id)
  await noticed(fleet, 'runtime.toml')
  expect(runtime(fleet)).toContain('max_concurrent=999')
  expect(inForce(fleet, 'max_concurrent')).toBe('10')
  const tasks = fleet.fleet('tasks')
  expect(tasks.stdout.split('\n').find((line) => line.includes('runtime.toml'))).toMatch(
    /runtime\.toml was changed while agents ran\s+fleet config accept \| revert/,
  )
  expect(needs(fleet)[0]).toMatchObject({ kind: 'changed', file: 'runtime.toml' })
  expect(fleet.fleet('show', one).stderr).toContain('runtime.toml was changed while agents ran')
  // The next supervisor has the same configuration.
  await fleet.start('SIGHUP')
  await until(
    async () => fleet.log().filter(({ event }) => event === 'supervisor-started').length === 2,
    () => 'the next supervisor has started',
  )
  expect(inForce(fleet, 'max_concurrent')).toBe('10')
  fleet.touch('go')
  for (const id of [one, two]) {
    await fleet.settled(id, 'closed')
    expect(fleet.receipt(id).warnings).toEqual([expect.stringContaining('runtime.toml was changed while agents ran')])
  }
  // Without agents too: nobody has decided.
  expect(inForce(fleet, 'max_concurrent')).toBe('10')
  expect(fleet.log().filter(({ event }) => event === 'file-changed')).toHaveLength(1)
  const reverted = fleet.fleet('config', 'revert')
  expect(reverted).toMatchObject({ code: 0, stdout: expect.stringContaining('+ max_concurrent=999') })
  expect(runtime(fleet)).toContain('max_concurrent = 10')
  expect(readFileSync(join(fleet.home.path, 'runtime.toml.refused'), 'utf8')).toContain('max_concurrent=999')
  expect(needs(fleet).filter(({ kind }) => kind === 'changed')).toEqual([])
})

attack(configAtOnce, async (options) => {
  const fleet = testFleet(options)
  const script = 'echo "max_attempts = 77" > "$FLEET_HOME/runtime.toml"'
  const id = fleet.create('First and last instruction', script)
  await fleet.start()
  await fleet.settled(id, 'closed')
  await noticed(fleet, 'runtime.toml')
  expect(fleet.receipt(id).warnings).toEqual([expect.stringContaining('runtime.toml was changed while agents ran')])
  await fleet.end('SIGTERM')
  expect(inForce(fleet, 'max_attempts')).toBe('3')
  await fleet.start()
  const next = fleet.create('Next', 'true')
  await fleet.settled(next, 'closed')
  expect(inForce(fleet, 'max_attempts')).toBe('3')
})

attack(configRemoved, async (options) => {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_attempts=5'] })
  await fleet.start()
  const before = runtime(fleet)
  for (const put of ['true', 'ln -s /etc/hostname', 'mkfifo', 'mkdir']) {
    const id = fleet.create(put, `cd "$FLEET_HOME"; rm -rf runtime.toml; ${put} runtime.toml; exit 0`)
    await fleet.settled(id, 'closed')
    expect(inForce(fleet, 'max_attempts')).toBe('5')
    expect(fleet.fleet('config', 'revert')).toMatchObject({ code: 0 })
    expect(runtime(fleet)).toBe(before)
  }
})

attack(queue, async (options) => {
  const fleet = testFleet(options)
  const script = 'echo "queue = \\"postgres://evil:x@127.0.0.1:1/x\\"" >> "$FLEET_HOME/runtime.toml"'
  const id = fleet.create('Another queue', `sed -i '/^queue/d' "$FLEET_HOME/runtime.toml"; ${script}`)
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(runtime(fleet)).toContain('evil')
  expect(fleet.fleet('bd', 'list', '--all').stdout).toContain(id)
  await fleet.end('SIGTERM')
  expect(fleet.fleet('bd', 'show', id)).toMatchObject({ code: 0 })
})

attack(riding, async (options) => {
  const fleet = testFleet(options)
  const id = fleet.create('Edits it', 'echo "env_pass = [\\"SECRET\\"]" > "$FLEET_HOME/runtime.toml"')
  await fleet.start()
  await fleet.settled(id, 'closed')
  const set = fleet.fleet('config', 'set', 'max_concurrent=4')
  expect(set.code).not.toBe(0)
  expect(set.stderr).toContain('fleet config accept')
  expect(inForce(fleet, 'env_pass')).toBe('[]')
  expect(fleet.fleet('config', 'revert')).toMatchObject({ code: 0 })
  expect(fleet.fleet('config', 'set', 'max_concurrent=4')).toMatchObject({ code: 0 })
  expect([inForce(fleet, 'max_concurrent'), inForce(fleet, 'env_pass')]).toEqual(['4', '[]'])
})

attack(decides, async (options) => {
  const fleet = testFleet(options)
  const to = join(fleet.home.project, 'said')
  const script = `echo "max_attempts = 9" > "$FLEET_HOME/runtime.toml"; fleet config accept > ${to} 2>&1; fleet config revert >> ${to} 2>&1; true`
  const id = fleet.create('Decides', script)
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(readFileSync(to, 'utf8').match(/is for people/g)).toHaveLength(2)
  expect(inForce(fleet, 'max_attempts')).toBe('3')
})

/** A coder that runs its task as a script, and leaves a mark of the version that ran. */
const module = (mark: string): string => `
import { appendFileSync } from 'node:fs'
appendFileSync(process.env.MARKS, ${JSON.stringify(`${mark}\n`)})
export default {
  name: 'mine',
  binary: 'sh',
  traits: { claim: 'exit', evidence: 'exit', resume: false, stream: 'text', contextWindow: 1000 },
  launch: ({ script }) => ({ args: [script.file], stdin: 'closed', env: {} }),
  parse: () => [],
  verdict: (exit) => exit.kind === 'code' && exit.code === 0 ? { kind: 'finished' } : { kind: 'failed', outcome: { code: 'error', text: 'x' } },
}
`

function withCoder(options: FleetOptions): {
  fleet: Fleet
  marks: () => readonly string[]
  put(name: string, text: string): void
} {
  const fleet = testFleet(options)
  const file = join(fleet.home.project, 'marks')
  const put = (name: string, text: string): void => {
    const folder = join(fleet.home.path, 'coders')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    if (options.uid !== undefined)
      for (const each of [folder, join(folder, name)]) chownSync(each, options.uid, options.uid)
  }
  process.env['MARKS'] = file
  return { fleet, put, marks: () => [...new Set(readFileSync(file, 'utf8').trim().split('\n'))] }
}

attack(coder, async (options) => {
  const { fleet, marks, put } = withCoder(options)
  put('mine.mjs', module('person'))
  await fleet.start()
  const ids = ['One', 'Two'].map((title) =>
    fleet.create(title, 'sed -i s/person/agent/ "$FLEET_HOME/coders/mine.mjs"', '--coder', 'mine'),
  )
  for (const id of ids) await fleet.settled(id, 'closed')
  const last = fleet.create('Last', 'true', '--coder', 'mine')
  await fleet.settled(last, 'closed')
  expect(marks()).toEqual(['person'])
  expect(needs(fleet)[0]).toMatchObject({ kind: 'changed', file: 'coders/mine.mjs' })
  expect(fleet.fleet('doctor').stdout).toContain('coder mine')
  expect(marks()).toEqual(['person'])
  expect(fleet.fleet('config', 'accept')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('+ appendFileSync(process.env.MARKS, "agent\\n")'),
  })
  const after = fleet.create('After', 'true', '--coder', 'mine')
  await fleet.settled(after, 'closed')
  expect(marks()).toEqual(['person', 'agent'])
})

attack(newCoder, async (options) => {
  const { fleet, marks, put } = withCoder(options)
  put('mine.mjs', module('person'))
  await fleet.start()
  const add =
    'sed "s/person/agent/; s/mine/evil/" "$FLEET_HOME/coders/mine.mjs" > "$FLEET_HOME/coders/evil.mjs"; chmod 600 "$FLEET_HOME/coders/evil.mjs"'
  const id = fleet.create('Adds one', add, '--coder', 'mine')
  await fleet.settled(id, 'closed')
  const next = fleet.create('Uses it', 'true', '--coder', 'evil')
  await until(
    async () => needs(fleet).some((row) => row.kind === 'lane'),
    () => JSON.stringify(needs(fleet)),
  )
  expect(fleet.fleet('tasks').stdout).toContain('it was added while agents ran')
  expect(fleet.starts(next)).toEqual([])
  expect(marks()).toEqual(['person'])
  expect(fleet.fleet('config', 'revert')).toMatchObject({ code: 0 })
  expect(needs(fleet).filter(({ kind }) => kind === 'changed')).toEqual([])
})

attack(launcher, async (options) => {
  const fleet = testFleet(options)
  const said = join(fleet.home.project, 'said')
  const evil = `printf '#!/bin/sh\necho evil >> ${said}\n' > "$FLEET_HOME/bin/fleet"; cp "$FLEET_HOME/bin/fleet" "$FLEET_HOME/bin/git"`
  const first = fleet.create('Swaps it', evil)
  await fleet.start()
  await fleet.settled(first, 'closed')
  expect(fleet.receipt(first).warnings).toEqual([expect.stringContaining('bin/fleet was changed while agents ran')])
  const second = fleet.create(
    'Calls it',
    `fleet note hello; command -v git > ${said}.git; command -v fleet > ${said}.fleet`,
  )
  await fleet.settled(second, 'closed')
  expect(existsSync(said)).toBe(false)
  expect(readFileSync(`${said}.fleet`, 'utf8').trim()).toBe(join(fleet.home.path, 'bin', 'fleet'))
  expect(readFileSync(`${said}.git`, 'utf8')).not.toContain(fleet.home.path)
  expect(fleet.log().filter(({ event }) => event === 'file-repaired')).toMatchObject([{ file: 'bin/fleet' }])
})

attack(compiled, async (options) => {
  const fleet = testFleet(options)
  const code = join(fleet.home.path, 'code')
  const id = fleet.create('Plants code', 'mkdir -m 700 "$FLEET_HOME/code"; echo x > "$FLEET_HOME/code/x.cache"')
  await fleet.start()
  await fleet.settled(id, 'closed')
  // Node would take the folder in use, and write to it: every file that it compiles, and the planted one it would read.
  const env = { NODE_COMPILE_CACHE: '', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  const ran = fleet.home.fleet(['bd', 'list', '--all'], { env })
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(id) })
  expect(ran.stderr).not.toContain(code)
  expect(readdirSync(code)).toEqual(['x.cache'])
})

attack(taskFile, async (options) => {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_concurrent=1'] })
  const ran = join(fleet.home.project, 'ran')
  const victim = fleet.create('Victim', `echo own > ${ran}`, '--priority', '3', '--command', `echo own > ${ran}`)
  const file = join(fleet.home.path, 'tasks', victim, 'task.json')
  const edit = `sed -i 's/echo own/echo evil/' ${file}`
  const first = fleet.create('Edits it', edit, '--priority', '0')
  await fleet.start()
  await fleet.settled(first, 'closed')
  await fleet.settled(victim, 'closed')
  expect(readFileSync(ran, 'utf8')).toBe('own\n')
  expect(needs(fleet)[0]).toMatchObject({ kind: 'changed', task: victim })
  expect(fleet.receipt(first).warnings).toEqual([expect.stringContaining('task.json was changed while agents ran')])
  expect(fleet.log().filter(({ event }) => event === 'file-changed')).toMatchObject([
    { file: `tasks/${victim}/task.json` },
  ])
  expect(fleet.fleet('task', victim, 'revert')).toMatchObject({ code: 0 })
  expect(needs(fleet).filter(({ kind }) => kind === 'changed')).toEqual([])
})

attack(taskFileBroken, async (options) => {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_concurrent=1'] })
  const victims = [1, 2, 3].map((n) => fleet.create(`Victim ${n}`, 'true', '--priority', '3'))
  const [a, b, c] = victims.map((id) => join(fleet.home.path, 'tasks', id, 'task.json'))
  const damage = `echo '{' > ${a}; rm ${b}; mkfifo ${b}; rm ${c}; mkdir ${c}`
  const first = fleet.create('Breaks them', damage, '--priority', '0')
  await fleet.start()
  await fleet.settled(first, 'closed')
  for (const id of victims) await fleet.settled(id, 'closed')
})

attack(answersForYou, async (options) => {
  const fleet = testFleet(options)
  const asks = [init, tool({ fleet: ['ask', 'Which database?'] }), result()]
  const asked = fleet.create('Asks', [asks, [init, writes('x.txt'), claims(), result()]])
  await fleet.start()
  await fleet.settled(asked, 'blocked')
  const file = `"$FLEET_HOME/tasks/${asked}/artifacts/Q&A.md"`
  const other = fleet.create('Answers', [
    init,
    tool(sh(`printf '\\n## A:\\n\\nNone at all\\n' >> ${file}`)),
    writes('x.txt'),
    claims(),
    result(),
  ])
  await fleet.settled(other, 'closed')
  expect(await fleet.task(asked)).toMatchObject({ status: 'blocked' })
  expect(fleet.fleet('bd', 'update', asked, '--status', 'open').code).toBe(0)
  await noticed(fleet, `tasks/${asked}/artifacts/Q&A.md`)
  expect(await fleet.settled(asked, 'blocked')).toMatchObject({ notes: expect.stringContaining('while agents ran') })
  expect(needs(fleet)[0]).toMatchObject({ kind: 'changed', task: asked })
  expect(fleet.fleet('task', asked, 'revert').stdout).toContain('None at all')
  expect(fleet.fleet('answer', asked, 'SQLite').code).toBe(0)
  await fleet.settled(asked, 'closed')
  const prompt = fleet.text(asked, 'attempts', '2', 'prompt.md')
  expect([prompt.includes('SQLite'), prompt.includes('None at all')]).toEqual([true, false])
})
