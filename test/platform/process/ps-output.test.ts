import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  commandOnLine,
  dialectOf,
  isBusyBox,
  markerOnLine,
  parsePs,
  psArguments,
  UnreadableRow,
} from '../../../src/platform/process/ps-output.ts'

const sample = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/ps', `${name}.txt`), 'utf8')
const RUN = '0b9c6a3e-7b1c-4f63-9a55-0d8f0f8a4f11'
const at = (text: string) => `@${Date.parse(`${text}Z`) / 1000}`

test('the table of macOS is read: the group stands for the session, and times have hundredths', () => {
  const rows = parsePs(sample('macos'), { hasSessions: false })
  expect([...rows.keys()]).toEqual([1, 412, 5120, 5131, 5132, 5140, 5141])
  const { line, ...agent } = rows.get(5132) ?? { line: '' }
  expect(agent).toEqual({
    pid: 5132,
    alive: true,
    parent: 5131,
    group: 5131,
    session: 5131,
    startTime: at('2026-11-04T01:23:02'),
    cpuTicks: 606_250,
  })
  expect([markerOnLine(line), commandOnLine(line)]).toEqual([RUN, 'claude -p --output-format stream-json'])
  expect([rows.get(5140)?.alive, rows.get(5141)?.alive, markerOnLine(rows.get(5131)?.line ?? '')]).toEqual([
    false,
    false,
    undefined,
  ])
})

test('the table of procps is read, with sessions; a zombie with living threads is alive', () => {
  const rows = parsePs(sample('procps'), { hasSessions: true })
  expect([...rows.values()].map(({ pid, alive, session }) => [pid, alive, session])).toEqual([
    [1, true, 1],
    [2, true, 0],
    [32759, true, 32759],
    [32761, true, 32759],
    [32762, true, 32759],
    [32763, false, 32759],
  ])
  expect(rows.get(32761)).toMatchObject({ cpuTicks: 9_378_400, startTime: at('2026-11-04T01:33:13') })
})

test('a process is read back whatever its numbers, times and command are', () => {
  const word = fc.stringMatching(/^[!-~]{1,12}$/)
  const row = fc.record({
    pid: fc.integer({ min: 1, max: 4_194_304 }),
    parent: fc.nat(4_194_304),
    group: fc.nat(4_194_304),
    session: fc.nat(4_194_304),
    state: fc.constantFrom('S', 'Ss', 'R+', 'D<', 'I', 'T', 'U', '?s', 'Z', 'SNs', 'Ssl'),
    second: fc.integer({ min: 0, max: 4_000_000_000 }),
    ticks: fc.nat(50_000_000),
    words: fc.array(word, { maxLength: 5 }),
  })
  const printed = ({ pid, parent, group, session, state, second, ticks, words }: Printed) =>
    [pid, parent, group, session, state, lstart(second), time(ticks), ...words].join(' ')
  fc.assert(
    fc.property(fc.uniqueArray(row, { selector: ({ pid }) => pid, minLength: 1, maxLength: 20 }), (all) => {
      const rows = parsePs(`${all.map(printed).join('\n')}\n`, { hasSessions: true })
      expect([...rows.values()]).toEqual(
        all.map(({ state, second, ticks, words, ...numbers }) => ({
          ...numbers,
          alive: state !== 'Z',
          startTime: `@${second}`,
          cpuTicks: ticks,
          line: words.join(' '),
        })),
      )
    }),
  )
})

test('a row that cannot be read is an error, so that no process is overlooked', () => {
  const rows = sample('procps')
  for (const broken of [
    '32770 32759 32759 32759 S    Wed Nov 18 01:33',
    '32770 32759 32759 32759 S    18.11.2026 00:00:00 sleep 600',
  ]) {
    expect(() => parsePs(`${rows}${broken}\n`, { hasSessions: true })).toThrow(UnreadableRow)
  }
  expect(() => parsePs('  PID TTY          TIME CMD\n', { hasSessions: true })).toThrow(UnreadableRow)
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parsePs(text, { hasSessions: true })
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableRow)
      }
    }),
  )
})

test('a marker is a word of its own, and the last one: the environment comes after the arguments', () => {
  expect(markerOnLine(`grep FLEET_RUN_ID=r-1 PATH=/bin FLEET_RUN_ID=r-2 B=1`)).toBe('r-2')
  expect(markerOnLine('sleep 1 MY_FLEET_RUN_ID=r-1 B=FLEET_RUN_ID=r-2')).toBeUndefined()
  expect(markerOnLine('FLEET_RUN_ID=r-1')).toBe('r-1')
  expect(markerOnLine('')).toBeUndefined()
})

test('a command is shown without its environment, which may hold secrets', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z/ -]{1,20}$/), fc.stringMatching(/^[A-Z_]{1,9}$/), (command, name) => {
      expect(commandOnLine(`${command} ${name}=secret more secret`)).not.toContain('secret')
    }),
  )
  expect(commandOnLine('sleep 600 A=1 B=2')).toBe('sleep 600')
})

test('the ps of BusyBox is known by its errors', () => {
  expect(['busybox-option', 'busybox-column'].map((name) => isBusyBox(sample(name)))).toEqual([true, true])
  expect(isBusyBox('error: unsupported option (BSD syntax)')).toBe(false)
})

test('each column is asked for by itself, and one process by its pid', () => {
  expect(psArguments(dialectOf('darwin'))).toEqual([
    ...['-S', '-E', '-ww', '-A'],
    ...['pid', 'ppid', 'pgid', 'sess', 'stat', 'lstart', 'time', 'args'].flatMap((name) => ['-o', `${name}=`]),
  ])
  expect(psArguments(dialectOf('linux'), 7).slice(0, 3)).toEqual(['Seww', '-p', '7'])
  expect(psArguments(dialectOf('freebsd')).slice(0, 4)).toEqual(['-S', '-e', '-ww', '-ax'])
})

function lstart(second: number): string {
  const [weekday, day = '', month, year, clock] = new Date(second * 1000).toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${clock} ${year}`
}

function time(ticks: number): string {
  return `${Math.floor(ticks / 6000)}:${((ticks % 6000) / 100).toFixed(2).padStart(5, '0')}`
}

interface Printed {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly state: string
  readonly second: number
  readonly ticks: number
  readonly words: readonly string[]
}
