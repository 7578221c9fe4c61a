import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FORK_SERVER } from '../../../src/platform/process/fork-server.ts'
import { Launcher, openLauncher, SYSTEM_CALLS } from '../../../src/platform/process/launcher.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { OUTPUT } from '../../../src/platform/process/start-agent.ts'
import { type Found, StartUnanswered } from '../../../src/ports/agents.ts'
import { eventually, hasNamespace, launcher, place, startProgram, startScript } from '../../support/agents.ts'
import { childrenWith } from '../../support/children.ts'

const testHere = test.skipIf(launcher === undefined)

testHere('many starts at once are each answered, each with its own end', async () => {
  const runs = await Promise.all(Array.from({ length: 60 }, (_, n) => startScript(`exit ${n}`, { launcher })))
  await Promise.all(runs.map(({ ended }) => ended))
  expect(runs.map(({ agents, ...run }) => agents.exitOf({ ...run }))).toEqual(runs.map((_, n) => n))
  expect(new Set(runs.map(({ proc }) => proc.pid)).size).toBe(60)
})

testHere('an agent gets its own environment and nothing of the launcher but what it was given', async () => {
  const run = await startProgram('/usr/bin/env', ['-0'], { launcher, env: { PATH: '/bin:/usr/bin', ODD: 'a=b\nc' } })
  await run.ended
  const given = run.text('stdout.jsonl').split('\0').slice(0, -1)
  // dash adds the last one itself.
  expect(given.filter((each) => !each.startsWith('PWD=')).sort()).toEqual(
    ['PATH=/bin:/usr/bin', 'ODD=a=b\nc', `FLEET_RUN_ID=${run.run}`].sort(),
  )
})

testHere('an agent holds no file of the launcher open, and leads a session of its own', async () => {
  const script = 'ls /proc/self/fd; cut -d " " -f 6 /proc/$PPID/stat'
  const [run, direct] = await Promise.all([startScript(script, { launcher }), startScript(script)])
  await Promise.all([run.ended, direct.ended])
  const open = ({ text }: typeof run): string[] => text('stdout.jsonl').trim().split(/\s+/).slice(0, -1)
  expect(open(run)).toEqual(open(direct))
  expect(run.text('stdout.jsonl').trim().split(/\s+/).at(-1)).toBe(String(run.proc.pid))
})

test.skipIf(launcher === undefined || !hasNamespace)(
  'a pid namespace is made by the launcher itself: the leader of the run is its first process, and takes all with it',
  async () => {
    const script =
      'echo $PPID; setsid sleep 60 & ls -d /proc/[0-9]* | wc -l; while [ ! -e go ]; do sleep 0.02; done; exit 3'
    const run = await startScript(script, { launcher, namespace: true })
    await eventually(() => run.text('stdout.jsonl').split('\n').length > 2, 'it has told what it sees')
    const [parent, processes] = run.text('stdout.jsonl').split('\n').map(Number)
    expect(parent).toBe(1)
    expect(processes).toBeLessThan(10)
    expect(readFileSync(`/proc/${run.proc.pid}/cmdline`, 'utf8').split('\0')[0]).toBe('/bin/sh')
    writeFileSync(join(run.folder, 'go'), '')
    await run.ended
    expect(run.agents.exitOf(run)).toBe(3)
    expect(run.agents.sweep().get(run.run)).toBeUndefined()
  },
)

testHere('an end is reported with whether anything of its group is left', async () => {
  const left = await startScript('sleep 60 & exit 0', { launcher })
  let alive: boolean | undefined
  const { agents, ...alone } = place({ launcher })
  await left.ended
  expect(left.agents.groupAlive(left)).toBe(true)
  await new Promise<void>((resolve) => {
    const order = { ...alone, program: '/bin/sleep', args: ['0.1'], cwd: alone.folder, env: {}, stdin: undefined }
    const started = agents.start({ ...order, namespace: false }, () => {
      void started.then((proc) => {
        alive = agents.groupAlive({ ...alone, proc })
        resolve()
      })
    })
  })
  expect(alive).toBe(false)
})

testHere('an order that contains a NUL is refused with the reason, and others are not affected', async () => {
  await expect(startProgram('/bin/echo', ['a\0b'], { launcher })).rejects.toThrow('no agent can be given a NUL')
  const next = await startScript('exit 5', { launcher })
  await next.ended
  expect(next.agents.exitOf(next)).toBe(5)
})

testHere('a file that cannot be made is named, and nothing is started', async () => {
  const { folder } = place()
  const gone = join(folder, 'gone')
  await expect(startProgram('/bin/true', [], { launcher, folder: gone, cwd: '/' })).rejects.toThrow(
    `${gone}/stdout.jsonl cannot be written: its folder does not exist`,
  )
})

testHere(
  'a launcher that is killed takes no agent with it: their ends are to be looked for, and it starts no more',
  async () => {
    const { opened, pid } = await ownLauncher()
    const run = await startScript('echo up; while [ ! -e go ]; do sleep 0.02; done; exit 4', { launcher: opened })
    await eventually(() => run.text('stdout.jsonl') !== '', 'the agent works')
    process.kill(pid, 'SIGKILL')
    await run.ended
    expect(opened.alive).toBe(false)
    expect(run.agents.look(run)).toEqual({ kind: 'alive', proc: run.proc, pids: [run.proc.pid] })
    const next = await startScript('exit 6', { launcher: opened })
    await next.ended
    expect(next.agents.exitOf(next)).toBe(6)
    writeFileSync(join(run.folder, 'go'), '')
    await eventually(() => run.agents.exitOf(run) === 4, 'the agent has ended')
  },
)

testHere('a start that a launcher did not answer before it ended is reported as unknown', async () => {
  const { opened, pid } = await ownLauncher()
  process.kill(pid, 'SIGSTOP')
  const start = startScript('exit 0', { launcher: opened })
  process.kill(pid, 'SIGKILL')
  await expect(start).rejects.toBeInstanceOf(StartUnanswered)
})

test('a program that does not answer as a launcher is not used as one', async () => {
  const child = spawn('/bin/true', { stdio: ['pipe', 'pipe', 'ignore'] })
  expect(await new Launcher(child).ready).toBe(false)
})

/** As perl may miss the signal of a child that ends just before it begins to wait. */
testHere('an end is reported although no signal tells of it', async () => {
  const withoutSignal = 'use POSIX; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGCHLD)); exec { $ARGV[0] } @ARGV'
  const perl = ['perl', '-e', FORK_SERVER, 'deaf', ...[...(SYSTEM_CALLS[process.arch] ?? []), OUTPUT].map(String)]
  const child = spawn('perl', ['-e', withoutSignal, ...perl], { stdio: ['pipe', 'pipe', 'ignore'] })
  const deaf = new Launcher(child)
  onTestFinished(() => deaf[Symbol.dispose]())
  expect(await deaf.ready).toBe(true)
  const runs = [await startScript('exit 3', { launcher: deaf }), await startScript('exit 4', { launcher: deaf })]
  await Promise.all(runs.map(({ ended }) => ended))
  expect(runs.map(({ agents, ...run }) => agents.exitOf({ ...run }))).toEqual([3, 4])
})

testHere('perl accepts the program without warnings', () => {
  const { stderr } = spawnSync('perl', ['-c', '-Mwarnings', '-e', FORK_SERVER], { encoding: 'utf8' })
  // Perl continues after an exec that failed.
  expect(stderr.replace(/^(Statement unlikely|\s+\(Maybe you meant system).*\n/gm, '')).toBe('-e syntax OK\n')
})

async function ownLauncher(): Promise<{ opened: Launcher; pid: number }> {
  const before = launchers()
  const opened = await openLauncher()
  if (opened === undefined) throw new Error('there was one before')
  onTestFinished(() => opened[Symbol.dispose]())
  const pid = launchers().find((each) => !before.includes(each))
  if (pid === undefined) throw new Error('it has no process')
  return { opened, pid }
}

function launchers(): number[] {
  return childrenWith('fleet (starts agents)', process.pid)
}

/** What the end of a script was reported with: whether anything of it may be left. */
async function left(script: string): Promise<boolean> {
  const { agents, ...run } = place({ launcher })
  const order = { ...run, program: '/bin/sh', args: ['-c', script], cwd: run.folder, env: {}, stdin: undefined }
  return await new Promise((resolve, reject) => {
    agents.start({ ...order, namespace: false }, () => resolve(!agents.leftNothing(run))).catch(reject)
  })
}

testHere(
  "an end is told with whether anything of the run is left anywhere, and who lost its parent is nobody's end",
  async () => {
    const orphan = 'setsid sleep 60 & while [ "$(cut -d " " -f 6 /proc/$!/stat)" != $! ]; do sleep 0.02; done'
    const twice = `(setsid sh -c "setsid sleep 60 & sleep 0.1" &) ; sleep 0.3`
    expect(await left('exit 3')).toBe(false)
    expect(await Promise.all([orphan, twice].map(left))).toEqual([true, true])
    // While ended runs have left something, a sweep must decide whose it is.
    expect(await left('true')).toBe(true)
    const ends = Array.from({ length: 20 }, (_, n) => `(setsid true &) ; (setsid true &) ; exit ${n}`)
    const runs = await Promise.all(ends.map((script) => startScript(script, { launcher })))
    await Promise.all(runs.map(({ ended }) => ended))
    expect(runs.map(({ agents, ...run }) => agents.exitOf(run))).toEqual(ends.map((_, n) => n))
  },
)

testHere(
  'an agent that the launcher has just forked is not taken for what ended runs left, however slow the look is',
  async () => {
    const children = `/proc/${launcher?.pid}/task/${launcher?.pid}/children`
    const table = processTable()
    const { command } = table
    vi.spyOn(table, 'command').mockImplementation((pid) => {
      if (table.entry(pid)?.parent === launcher?.pid) waitUntil(() => false, 60)
      return command.call(table, pid)
    })
    onTestFinished(() => void vi.restoreAllMocks())
    const reaches = new Set<string | undefined>()
    for (let times = 0; times < 50 && reaches.size === 0; times++) {
      const { agents, ...run } = place({ launcher })
      const before = readFileSync(children, 'utf8')
      const order = { ...run, program: '/bin/sleep', args: ['0.1'], cwd: run.folder, env: {}, stdin: undefined }
      let begun: Promise<{ pid: number }> | undefined
      const ended = new Promise<void>((resolve) => {
        begun = agents.start({ ...order, namespace: hasNamespace }, resolve)
      })
      // The order goes out. Until the look is over, nothing reads the launcher's answer.
      await new Promise(setImmediate)
      waitUntil(() => readFileSync(children, 'utf8') !== before, 1000)
      const found = agents.sweep(0).get('') ?? []
      const pid = (await begun)?.pid
      for (const each of found) if (each.pid === pid) reaches.add(each.reach ?? 'ours')
      await ended
    }
    expect([...reaches]).toEqual(['unsure'])
  },
)

test
  .skipIf(launcher === undefined)
  .each([
    { where: 'outside a namespace', namespace: false },
    ...(hasNamespace ? [{ where: 'in a pid namespace', namespace: true }] : []),
  ])('nor is what such an agent has started, $where, if the look saw its wrapper before its exec', async (each) => {
  const { agents, ...run } = place({ launcher })
  const table = processTable()
  const { marker } = table
  const isWrapper = (pid: number): boolean => table.entry(pid)?.parent === launcher?.pid
  vi.spyOn(table, 'marker').mockImplementation((pid) => (isWrapper(pid) ? undefined : marker.call(table, pid)))
  onTestFinished(() => void vi.restoreAllMocks())
  const begun = join(run.folder, 'begun')
  const args = ['-c', '(echo >begun; exec sleep 60) & wait']
  const env = { PATH: process.env['PATH'] ?? '' }
  const order = { ...run, program: '/bin/sh', args, cwd: run.folder, env, stdin: undefined, ...each }
  const started = agents.start(order, () => {})
  // The order goes out. Until the look is over, nothing reads the launcher's answer.
  await new Promise(setImmediate)
  waitUntil(() => existsSync(begun), 60_000)
  const own = (found: readonly Found[] = []): readonly Found[] => found.filter((each) => each.marker === run.run)
  const found = agents.sweep(0).get('')
  expect(own(found).map(({ reach }) => reach)).toEqual(['unsure', 'unsure'])
  const proc = await started
  expect(own(agents.sweep(0).get(''))).toEqual([])
  agents.signal({ ...run, proc }, 'SIGKILL')
})

/** Keeps the processor: no event is handled meanwhile. */
function waitUntil(condition: () => boolean, mostMs: number): void {
  const end = performance.now() + mostMs
  while (!condition() && performance.now() < end);
}

testHere('a process in the middle of an exec when its run ends is not overlooked', async () => {
  const daemons = Array.from({ length: 60 }, () => '(setsid sh -c "setsid sleep 30 &" &) ; exit 0')
  const found: boolean[] = []
  for (const script of daemons) found.push(await left(script))
  expect(found.filter((each) => !each)).toEqual([])
})
