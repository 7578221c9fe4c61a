import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gemini } from '../../src/coders/gemini/coder.ts'
import { opencode } from '../../src/coders/opencode/coder.ts'
import { figuresOf } from '../../src/domain/run/digest.ts'
import type { Exit } from '../../src/domain/run/run.ts'
import { type Recording, streamsOf } from '../support/coder-streams.ts'
import { RECORDINGS as GEMINI } from '../support/gemini-recordings.ts'
import { brokenLines, twistedLines } from '../support/odd-lines.ts'
import { RECORDINGS as OPENCODE } from '../support/opencode-recordings.ts'

const EXITS: readonly Exit[] = [
  { kind: 'unknown' },
  { kind: 'code', code: 0 },
  { kind: 'code', code: 1 },
  { kind: 'code', code: 173 },
]

describe.each([
  { coder: opencode, recordings: OPENCODE },
  { coder: gemini, recordings: GEMINI },
])('whatever $coder.name prints', ({ coder, recordings }) => {
  const { digestOf, linesOf, names } = streamsOf(coder)
  const everyLine = names.flatMap(linesOf)
  const line = fc.constantFrom(...everyLine)
  const finishedRuns = Object.entries(recordings)
    .filter(([, { verdict, exit }]: readonly [string, Recording]) => verdict.kind === 'finished' && exit === 0)
    .map(([name]) => linesOf(name))
  const finishedRun = fc.constantFrom(...finishedRuns)
  const left: Exit = { kind: 'code', code: 0 }
  const verdictOf = (lines: readonly string[]) => coder.verdict(left, digestOf(lines), '')

  test('nothing of what was recorded is unknown', () => {
    expect(everyLine.flatMap((each) => coder.parse(each)).filter(({ type }) => type === 'unknown')).toEqual([])
  })

  test('no line makes it throw, and a line that nobody knows is unknown', () => {
    fc.assert(
      fc.property(brokenLines(everyLine), (each) => {
        const digest = digestOf([each])
        for (const exit of EXITS) coder.verdict(exit, digest, each)
        figuresOf(digest)
      }),
      { numRuns: 1000 },
    )
    for (const each of ['{', 'null', '[]', '{}', '"x"', '{"type":"constructor"}', '\0', '{"type":"tool_use"}']) {
      expect(coder.parse(each)).toEqual([{ type: 'unknown', raw: each }])
    }
    expect(coder.parse('')).toEqual([])
  })

  test('fields of any type where others are expected never make it throw, and count for nothing', () => {
    fc.assert(
      fc.property(twistedLines(everyLine), (each) => {
        const digest = digestOf([each])
        for (const exit of EXITS) coder.verdict(exit, digest, each)
        for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 1000 },
    )
  })

  test('events it will tell one day do not change how a finished run is judged', () => {
    const stranger = fc.oneof(
      fc.record({ type: fc.string().map((type) => `new_${type}`), part: fc.jsonValue(), data: fc.jsonValue() }),
      fc.jsonValue(),
    )
    const withStrangers = fc
      .tuple(finishedRun, fc.array(fc.tuple(fc.nat(), stranger), { minLength: 1, maxLength: 5 }))
      .map(([lines, strangers]) =>
        strangers.reduce<readonly string[]>(
          (all, [at, each]) => all.toSpliced(at % (all.length + 1), 0, JSON.stringify(each)),
          lines,
        ),
      )
    fc.assert(
      fc.property(withStrangers, (lines) => {
        expect(verdictOf(lines)).toEqual({ kind: 'finished' })
      }),
    )
  })

  test('fields it will tell one day do not change what is read', () => {
    const more = fc.tuple(line, fc.string(), fc.jsonValue()).map(([each, name, value]) => {
      const told = JSON.parse(each)
      const added = { [`new_${name}`]: value }
      const part = told.part === undefined ? {} : { part: { ...told.part, ...added } }
      return [each, JSON.stringify({ ...added, ...told, ...part })] as const
    })
    fc.assert(
      fc.property(more, ([before, after]) => {
        expect(coder.parse(after)).toEqual(coder.parse(before))
      }),
    )
  })

  test('lines in another order, twice, or cut in half do not change how a finished run is judged', () => {
    const shuffled = finishedRun.chain((lines) => fc.shuffledSubarray([...lines], { minLength: lines.length }))
    const half = fc.tuple(finishedRun, fc.nat(), fc.nat()).map(([lines, which, at]) => {
      const each = lines[which % lines.length] ?? ''
      return lines.toSpliced(which % lines.length, 0, each.slice(0, at % each.length))
    })
    const twice = fc
      .tuple(finishedRun, fc.nat())
      .map(([lines, which]) => lines.toSpliced(which % lines.length, 0, lines[which % lines.length] ?? ''))
    fc.assert(
      fc.property(fc.oneof(shuffled, half, twice), (lines) => {
        expect(verdictOf(lines)).toEqual({ kind: 'finished' })
      }),
    )
  })

  test('a run that was cut off before its last line is not finished', () => {
    for (const lines of finishedRuns) {
      for (let told = 0; told < lines.length; told++) {
        expect(verdictOf(lines.slice(0, told))).toMatchObject({ kind: 'failed', outcome: { code: 'lost' } })
      }
    }
  })
})
