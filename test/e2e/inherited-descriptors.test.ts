import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FLEET, run, scrubbed, type TestHome, temporaryFolder, testHome } from '../support/cli.ts'

/** The programs that a run without a launcher needs: perl is not among them. */
const PROGRAMS = ['sh', 'ls', 'git', 'unshare', 'ps']

function pathWithoutPerl(): string {
  const folder = temporaryFolder()
  for (const name of PROGRAMS) {
    const found = run('/bin/sh', ['-c', `command -v ${name}`]).stdout.trim()
    if (found !== '') symlinkSync(found, join(folder, name))
  }
  return folder
}

/** Numbers that Node itself marks close-on-exec (below 16), and others. */
const NUMBERS = [3, 9, 15, 16, 40, 63, 200]

/** Where a socket is. */
const SOCKET = 70

/** Runs fleet with a secret file open at each of these numbers, as `fleet run 9<secret 40<secret` does, and a socket. */
async function withSecrets(home: TestHome, argv: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const secret = join(temporaryFolder(), 'secret')
  writeFileSync(secret, 'a secret')
  const file = openSync(secret, 'r')
  const stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'inherit']
  for (let at = 3; at <= Math.max(...NUMBERS); at++) stdio[at] = NUMBERS.includes(at) ? file : 'ignore'
  stdio[SOCKET] = 'pipe'
  const child = spawn(process.execPath, [FLEET, ...argv], {
    cwd: home.project,
    env: { ...scrubbed(), FLEET_HOME: home.path, ...env },
    stdio,
  })
  closeSync(file)
  child.stdout?.resume()
  const [code] = await once(child, 'exit')
  return { code, secret }
}

/** The descriptors of `ls` itself, without the one it reads the list with. */
const LIST = 'ls -l /proc/self/fd'

function listed(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => /(\d+) -> (.*)$/.exec(line)?.slice(1, 3).join(' ') ?? [])
    .filter((line) => !/ \/proc\/\d+\/fd$/.test(line))
    .map((line) => line.split(' ')[0] as string)
}

const isLinux = process.platform === 'linux'

test.runIf(isLinux).each([
  ['through the launcher, in a pid namespace if there can be one', {}, []],
  ['through the launcher, without a namespace', {}, ['pid_namespace=off']],
  ['without the launcher, in a pid namespace if there can be one', 'no perl', []],
  ['without the launcher and without a namespace', 'no perl', ['pid_namespace=off']],
] as const)('an agent gets no other descriptors than 0, 1 and 2: %s', async (_how, path, config) => {
  const home = testHome()
  if (config.length > 0) expect(home.fleet(['config', 'set', ...config])).toMatchObject({ code: 0 })
  expect(home.bd(['create', 'Lists', '--coder', 'shell', '-d', `${LIST} > list`])).toMatchObject({ code: 0 })
  const env = path === 'no perl' ? { PATH: pathWithoutPerl() } : {}
  expect(await withSecrets(home, ['run', '--once'], env)).toMatchObject({ code: 0 })
  expect(listed(readFileSync(join(home.project, 'list'), 'utf8'))).toEqual(['0', '1', '2'])
})

test.runIf(isLinux)('the background supervisor has none of the descriptors of the shell that started it', async () => {
  const home = testHome()
  onTestFinished(() => void home.fleet(['run', 'stop']))
  const { code, secret } = await withSecrets(home, ['run', 'start'])
  expect(code).toBe(0)
  const { pid } = JSON.parse(home.fleet(['run', 'status', '--json']).stdout)
  const links = listedOf(pid)
  expect(links.length).toBeGreaterThan(3)
  expect(links).not.toContain(secret)
})

function listedOf(pid: number): string[] {
  const names = run('ls', [`/proc/${pid}/fd`]).stdout.split('\n')
  return names.flatMap((name) => {
    try {
      return name === '' ? [] : [readlinkSync(`/proc/${pid}/fd/${name}`)]
    } catch {
      return [] // closed meanwhile
    }
  })
}

test.runIf(isLinux)('a coder that is asked for its version gets 0, 1 and 2 only', async () => {
  const home = testHome()
  const folder = temporaryFolder()
  const list = join(folder, 'list')
  writeFileSync(join(folder, 'claude'), `#!/bin/sh\n${LIST} > '${list}'\necho 2.0.0\n`)
  chmodSync(join(folder, 'claude'), 0o755)
  await withSecrets(home, ['doctor'], { PATH: `${folder}${delimiter}${process.env['PATH']}` })
  expect(listed(readFileSync(list, 'utf8'))).toEqual(['0', '1', '2'])
})

test.runIf(isLinux)('a file that the command line names by its descriptor is read all the same', () => {
  const home = testHome()
  const issue = JSON.stringify({
    id: 'fleet-zz1',
    title: 'By descriptor',
    status: 'open',
    priority: 2,
    issue_type: 'task',
  })
  const ran = run('bash', ['-c', `"$0" "$1" bd import <(printf '%s\\n' "$2")`, process.execPath, FLEET, issue], {
    cwd: home.project,
    env: { FLEET_HOME: home.path },
  })
  expect(ran).toMatchObject({ code: 0 })
  expect(home.bd(['show', 'fleet-zz1']).stdout).toContain('By descriptor')
})
