import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../../src/platform/process/program.ts'
import { FLEET, run, scrubbed, temporaryFolder } from '../../support/cli.ts'
import { poll } from '../../support/poll.ts'
import { claims, type Fleet, init, result, testFleet, writes } from '../../support/supervisor.ts'
import { hasScript } from '../../support/tools.ts'

const script = findProgram('script', process.env)

interface Session {
  /** Waits until the terminal shows this, after all that was waited for before. */
  sees(pattern: RegExp): Promise<void>
  types(line: string): void
  ended(): Promise<unknown>
  text(): string
}

/** `fleet review <id>` as a person has it on a terminal. */
function reviewing(fleet: Fleet, id: string, env: NodeJS.ProcessEnv = {}): Session {
  const command = `stty cols 80 rows 40; '${process.execPath}' '${FLEET}' review ${id}`
  const child: ChildProcess = spawn(script ?? '', ['-qec', command, '/dev/null'], {
    env: { ...scrubbed(), FLEET_HOME: fleet.home.path, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let text = ''
  let from = 0
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const shows = (pattern: RegExp): boolean => {
    const found = pattern.exec(text.slice(from))
    if (found !== null) from += found.index + found[0].length
    return found !== null
  }
  return {
    sees: (pattern) =>
      poll(
        async () => shows(pattern),
        () => `the terminal shows ${pattern}: ${JSON.stringify(text.slice(from))}`,
      ),
    types: (line) => void child.stdin?.write(`${line}\n`),
    ended: () => exited,
    text: () => text,
  }
}

const MENU = /\[d\]iff {2}\[a\]ccept {2}\[r\]eject {2}\[s\]hell {2}\[q\]uit: /

const HOSTILE = 'work \u001b[2J\u001b]0;owned\u0007\n'

async function waiting(fleet: Fleet, project: string): Promise<string> {
  const steps = [init, writes('made.txt', HOSTILE), claims('made it'), result()]
  const again = [init, writes('again.txt'), claims('made it again'), result()]
  const id = fleet.create('Make it', [steps, again], '--cwd', project)
  if (fleet.pid === 0) await fleet.start()
  await fleet.settled(id, 'blocked')
  return id
}

test.skipIf(!hasScript)(
  'a person reads the diff, looks around in a shell, sends the work back, and accepts it',
  async () => {
    const fleet = testFleet({ config: ['close_at=reviewed'] })
    const project = fleet.project('repo', { git: true })
    const id = await waiting(fleet, project)
    const first = reviewing(fleet, id, { GIT_PAGER: "sed 's/^/paged: /'" })
    await first.sees(/verdict: +needs-review at level evidenced/)
    await first.sees(MENU)
    first.types('nonsense')
    await first.sees(MENU)
    first.types('d')
    await first.sees(/paged: \+work \r?\n/)
    await first.sees(MENU)
    first.types('s')
    await first.sees(/exit returns to the review/)
    first.types('pwd; exit')
    await first.sees(new RegExp(`${project}\r?\n`))
    await first.sees(MENU)
    first.types('reject')
    await first.sees(/What has to change\? /)
    first.types('')
    await first.sees(/A rejection needs a note/)
    await first.sees(MENU)
    first.types('r')
    await first.sees(/What has to change\? /)
    first.types('another name, please')
    await first.sees(/Sent back\./)
    expect(await first.ended()).toEqual([0, null])
    expect(first.text()).not.toContain('\u001b]0;')
    await fleet.ended(id, 2)
    await fleet.settled(id, 'blocked')
    expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain('sent it back: another name, please')

    const left = reviewing(fleet, id)
    await left.sees(MENU)
    left.types('q')
    await left.sees(/Nothing was decided\./)
    expect(await left.ended()).toEqual([0, null])
    const second = reviewing(fleet, id)
    await second.sees(MENU)
    second.types('a')
    await second.sees(/Accepted\./)
    expect(await second.ended()).toEqual([0, null])
    await fleet.settled(id, 'closed')
  },
)

test.skipIf(!hasScript)(
  'what was decided meanwhile is not decided by a person who saw the work before that',
  async () => {
    const fleet = testFleet({ config: ['close_at=reviewed'] })
    const id = await waiting(fleet, fleet.project('repo', { git: true }))
    const late = reviewing(fleet, id)
    await late.sees(MENU)
    expect(fleet.fleet('review', id, '--reject', 'another name').code).toBe(0)
    await fleet.ended(id, 2)
    await fleet.settled(id, 'blocked')
    late.types('a')
    await late.sees(/was changed meanwhile/)
    expect(await late.ended()).toEqual([5, null])
    expect((await fleet.task(id)).status).toBe('blocked')
  },
)

test.skipIf(!hasScript)('the pager is the one that the user chose, and never one of the repository', async () => {
  const fleet = testFleet({ config: ['close_at=reviewed'] })
  const project = fleet.project('repo', { git: true })
  const id = await waiting(fleet, project)
  const trap = join(project, 'trap')
  run('git', ['config', 'core.pager', `touch '${trap}'; cat`], { cwd: project })
  const home = temporaryFolder()
  const diff = (env: NodeJS.ProcessEnv): string => {
    const command = `stty cols 80; '${process.execPath}' '${FLEET}' review ${id} --diff`
    const given = { FLEET_HOME: fleet.home.path, NO_COLOR: '1', HOME: home, ...env }
    return run(script ?? '', ['-qec', command, '/dev/null'], { cwd: project, env: given }).stdout.replaceAll('\r', '')
  }
  const by = (name: string) => `sed 's/^/${name}: /'`
  expect(diff({ PAGER: by('own') })).toContain('own: +work \n')
  writeFileSync(join(home, '.gitconfig'), `[core]\n  pager = ${by('configured')}\n`)
  expect(diff({ PAGER: by('own') })).toContain('configured: +work \n')
  expect(diff({ PAGER: by('own'), GIT_PAGER: by('given') })).toContain('given: +work \n')
  for (const none of ['', 'cat']) expect(diff({ GIT_PAGER: none })).toContain('\n+work \n')
  expect(diff({ GIT_PAGER: '/nonexistent/pager' })).toMatch(/could not be started[\s\S]*\n\+work \n/)
  // Into a pipe it goes as it is.
  expect(fleet.fleet('review', id, '--diff').stdout).toContain(`+${HOSTILE}`)
  expect(existsSync(trap)).toBe(false)
  mkdirSync(join(project, 'sub'))
  expect(JSON.parse(fleet.fleet('review', id, '--diff', '--json').stdout).new_files).toEqual(['made.txt'])
})
