import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { FLEET, scrubbed, type TestHome, testHome } from '../support/cli.ts'

function logOf(home: TestHome, day: string, lines: readonly string[]): string {
  mkdirSync(join(home.path, 'logging'), { recursive: true })
  const path = join(home.path, 'logging', `fleet-${day}.jsonl`)
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

const line = (n: number) => JSON.stringify({ level: 30, msg: `line ${n}` })
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => line(from + i))

test('`fleet log` prints the newest log, or its last lines', () => {
  const home = testHome()
  logOf(home, '2026-11-14', ['"old"'])
  const path = logOf(home, '2026-11-15', lines(1, 3000))
  expect(home.fleet(['log']).stdout).toBe(lines(1, 3000).join('\n').concat('\n'))
  expect(home.fleet(['log', '2']).stdout).toBe(`${line(2999)}\n${line(3000)}\n`)
  expect(home.fleet(['log', '2999']).stdout).toBe(lines(2, 3000).join('\n').concat('\n'))
  expect(home.fleet(['log', '5000']).stdout).toBe(lines(1, 3000).join('\n').concat('\n'))
  appendFileSync(path, 'half')
  expect(home.fleet(['log', '2']).stdout).toBe(`${line(3000)}\nhalf`)
  expect(JSON.parse(home.fleet(['log', '2', '--json']).stdout)).toEqual({
    schema_version: 1,
    path,
    lines: [JSON.parse(line(3000)), 'half'],
  })
})

test.each(['0', '-1', '1.5', 'ten', '1e3', ''])('%s is refused as a number of lines', (text) => {
  const home = testHome()
  logOf(home, '2026-11-15', lines(1, 2))
  expect(home.fleet(['log', '--', text])).toMatchObject({ code: 2, stdout: '' })
})

test('without a log yet, `fleet log` exits 4 and says who writes it', () => {
  expect(testHome().fleet(['log'])).toEqual({
    code: 4,
    stdout: '',
    stderr: 'fleet: there is no log yet: a supervisor writes it\n  fleet run starts a supervisor\n',
  })
})

test('-f starts with the last lines, and follows into the next day', async () => {
  const home = testHome()
  const today = logOf(home, '2026-11-15', lines(1, 5))
  const child = spawn(process.execPath, [FLEET, 'log', '1', '-f'], {
    env: { ...scrubbed(), FLEET_HOME: home.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const read = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => (await read.next()).value
  expect(await next()).toBe(line(5))
  appendFileSync(today, `${line(6)}\n`)
  expect(await next()).toBe(line(6))
  logOf(home, '2026-11-16', lines(7, 8))
  expect([await next(), await next()]).toEqual(lines(7, 8))
  child.stdout.destroy()
  // Its reader is gone, so writing the next line ends it.
  const end = once(child, 'exit')
  appendFileSync(join(home.path, 'logging', 'fleet-2026-11-16.jsonl'), `${line(9)}\n`)
  expect(await end).toEqual([0, null])
})
