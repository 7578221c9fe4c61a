import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DamagedAttempt, partsOfRun } from '../../../src/domain/run/damage.ts'
import { mend } from '../../../src/platform/files/mend.ts'
import { temporaryFolder } from '../../support/cli.ts'

const BEGUN: DamagedAttempt = { attempt: 1, hasBegun: true }

/** The folder of a task after its first run. */
function taskFolder() {
  const tasks = join(temporaryFolder(), 'tasks')
  const folder = join(tasks, 'fleet-a1')
  for (const path of ['attempts/1', 'inbox', 'artifacts']) {
    mkdirSync(join(folder, path), { recursive: true, mode: 0o700 })
  }
  for (const name of ['launch.json', 'stdout.jsonl', 'stderr.log', 'exit.json']) {
    writeFileSync(join(folder, 'attempts/1', name), name, { mode: 0o600 })
  }
  const look = () => mend({ tasks, folder, parts: partsOfRun(BEGUN) })
  const sh = (script: string) => execFileSync('sh', ['-c', script], { cwd: folder })
  return { tasks, folder, look, sh }
}

test('a folder as fleet left it is left alone', () => {
  const { look, folder } = taskFolder()
  const before = lstatSync(folder).ctimeMs
  expect(look()).toEqual([])
  expect(lstatSync(folder).ctimeMs).toBe(before)
})

test('a locked folder is unlocked with all that is in it', () => {
  const { look, folder, sh } = taskFolder()
  sh('chmod 000 attempts/1/launch.json attempts/1 attempts inbox .')
  expect(look()).toEqual([
    { path: '', harm: 'locked', isRepaired: true },
    { path: 'attempts', harm: 'locked', isRepaired: true },
    { path: 'inbox', harm: 'locked', isRepaired: true },
    { path: 'attempts/1', harm: 'locked', isRepaired: true },
    { path: 'attempts/1/launch.json', harm: 'locked', isRepaired: true },
  ])
  expect(readFileSync(join(folder, 'attempts/1/launch.json'), 'utf8')).toBe('launch.json')
  expect(look()).toEqual([])
})

test('a thing that does not belong there makes way, and what it holds is kept', () => {
  const { look, folder, sh } = taskFolder()
  sh('rm attempts/1/launch.json; mkdir attempts/1/launch.json; echo x >attempts/1/launch.json/x')
  sh(
    'rm attempts/1/stderr.log; mkfifo attempts/1/stderr.log; rm -r inbox; echo y >inbox; rm -r artifacts; ln -s / artifacts',
  )
  expect(look()).toEqual([
    { path: 'inbox', harm: 'a file', isRepaired: true },
    { path: 'artifacts', harm: 'a link', isRepaired: true },
    { path: 'attempts/1/launch.json', harm: 'a folder', isRepaired: true },
    { path: 'attempts/1/stderr.log', harm: 'a pipe', isRepaired: true },
  ])
  expect(lstatSync(join(folder, 'inbox')).isDirectory()).toBe(true)
  expect(lstatSync(join(folder, 'artifacts')).isDirectory()).toBe(true)
  const aside = readdirSync(join(folder, 'attempts/1')).filter((name) => name.includes('.aside-'))
  expect(aside.map((name) => readFileSync(join(folder, 'attempts/1', name, 'x'), 'utf8'))).toEqual(['x\n'])
  // The contents stay lost.
  expect(look()).toEqual([
    { path: 'attempts/1/launch.json', harm: 'removed', isRepaired: true },
    { path: 'attempts/1/stderr.log', harm: 'removed', isRepaired: true },
  ])
})

test('a link to nothing is found, also among thousands of other files', () => {
  const { look, sh } = taskFolder()
  sh('ln -s nothing events.jsonl; ln -s nothing attempts/1/stdin')
  const found = [
    { path: 'events.jsonl', harm: 'a link', isRepaired: true },
    { path: 'attempts/1/stdin', harm: 'a link', isRepaired: true },
  ]
  expect(look()).toEqual(found)
  sh('i=0; while [ $i -lt 3000 ]; do : >"filler-$i"; : >"attempts/1/filler-$i"; i=$((i+1)); done')
  sh('ln -s nothing events.jsonl; ln -s nothing attempts/1/stdin')
  expect(look()).toEqual(found)
})

test('a socket makes way', async () => {
  const { look, folder, sh } = taskFolder()
  sh('rm attempts/1/exit.json')
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(folder, 'attempts/1/exit.json'), resolve))
  expect(look()).toEqual([{ path: 'attempts/1/exit.json', harm: 'a socket', isRepaired: true }])
  await new Promise((resolve) => server.close(resolve))
})

test('with a lost folder its files are lost, and the folder is told alone', () => {
  const { look, folder, sh } = taskFolder()
  sh('mv attempts elsewhere')
  expect(look()).toEqual([{ path: 'attempts', harm: 'removed', isRepaired: true }])
  expect(lstatSync(join(folder, 'attempts/1')).isDirectory()).toBe(true)
  rmSync(folder, { recursive: true })
  expect(look()).toEqual([{ path: '', harm: 'removed', isRepaired: true }])
})

test('a file of the user with a second name in the folder is neither unlocked nor changed', () => {
  const { look, folder, sh, tasks } = taskFolder()
  sh(
    'echo precious >../precious; chmod 400 ../precious; rm attempts/1/launch.json; ln ../precious attempts/1/launch.json',
  )
  expect(look()).toEqual([{ path: 'attempts/1/launch.json', harm: 'linked', isRepaired: true }])
  expect(lstatSync(join(tasks, 'precious')).mode & 0o777).toBe(0o400)
  expect(readdirSync(join(folder, 'attempts/1'))).not.toContain('launch.json')
})

test('before its agent began, missing files are no damage', () => {
  const { folder, tasks } = taskFolder()
  rmSync(join(folder, 'attempts'), { recursive: true })
  expect(mend({ tasks, folder, parts: partsOfRun({ attempt: 1, hasBegun: false }) })).toEqual([])
})

test('a locked folder of all tasks is unlocked, and no agent is blamed for it', () => {
  const { look, tasks, folder } = taskFolder()
  chmodSync(tasks, 0)
  expect(look()).toEqual([])
  chmodSync(tasks, 0o700)
  expect(lstatSync(folder).isDirectory()).toBe(true)
})

test.runIf(process.getuid?.() === 0)('an immutable file is made mutable again', () => {
  const { look, sh } = taskFolder()
  sh('chattr +i attempts/1/launch.json attempts/1 inbox')
  expect(look()).toEqual([
    { path: 'inbox', harm: 'immutable', isRepaired: true },
    { path: 'attempts/1', harm: 'immutable', isRepaired: true },
    { path: 'attempts/1/launch.json', harm: 'immutable', isRepaired: true },
  ])
  expect(look()).toEqual([])
})
