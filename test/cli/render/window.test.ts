import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PictureLine } from '../../../src/cli/render/sections.ts'
import { widthOf } from '../../../src/cli/render/width.ts'
import { AT_TOP, pressed, type Window, windowLines } from '../../../src/cli/render/window.ts'
import { keysIn } from '../../../src/platform/terminal/keys.ts'

beforeEach(() => void vi.stubEnv('TZ', 'UTC'))
afterEach(() => void vi.unstubAllEnvs())

const NOW = Date.parse('2026-11-15T14:02:11Z')

/** A title, a head and rows. */
function picture(rows: number, more = false): PictureLine[] {
  const text = (each: string, isRow: boolean) => ({ line: [{ text: each }], isRow })
  return [
    text('Running', false),
    text('ID', false),
    ...Array.from({ length: rows }, (_, i) => text(`row ${i + 1}`, true)),
    ...(more ? [{ ...text('… and more', false), more }] : []),
  ]
}

function shown(lines: readonly PictureLine[], window: Window, size = { rows: 8, columns: 60 }): string[] {
  return windowLines(lines, window, { ...size, now: NOW, keys: true }).map((line) =>
    line.map(({ text }) => text).join(''),
  )
}

function afterKeys(keys: string, { lines, rows }: { lines: number; rows: number }): Window | undefined {
  return keysIn(keys).reduce<Window | undefined>(
    (window, key) => window && pressed(window, key, { lines, rows }),
    AT_TOP,
  )
}

describe('the window of --watch', () => {
  test('has a clock and totals above the first lines', () => {
    expect(shown(picture(40), AT_TOP)).toEqual([
      '14:02:11  4 of 40 shown  ? keys  q quit',
      'Running',
      'ID',
      'row 1',
      'row 2',
      'row 3',
      'row 4',
    ])
  })

  test('says that there are rows which were not read', () => {
    expect(shown(picture(2, true), AT_TOP)[0]).toBe('14:02:11  2 of 2+ shown  ? keys  q quit')
  })

  test.each([
    ['j', 1],
    ['\u001b[B', 1],
    ['jjk', 1],
    ['jj\u001b[A', 1],
    ['k', 0],
    ['\u001b[6~', 6],
    [' b', 0],
    ['\u001b[6~\u001b[5~', 0],
    ['G', 36],
    ['Gg', 0],
    ['jjjj\u001b[H', 0],
    ['\u001bOF', 36],
    ['x\u001b[99Z', 0],
  ])('scrolls by keys, and never beyond its ends: %j', (keys, top) => {
    expect(afterKeys(keys, { lines: 42, rows: 8 })).toEqual({ top, help: false })
  })

  test('? lists the keys, and the next key hides them; q ends it', () => {
    const help = afterKeys('?', { lines: 42, rows: 30 }) as Window
    expect(shown(picture(40), help, { rows: 30, columns: 60 }).join('\n')).toContain('q           quit')
    expect(afterKeys('?j', { lines: 42, rows: 8 })).toEqual(AT_TOP)
    expect(afterKeys('q', { lines: 42, rows: 8 })).toBeUndefined()
  })

  test('a picture that became shorter is shown to its end', () => {
    expect(shown(picture(3), { top: 30, help: false }).slice(1)).toEqual(['Running', 'ID', 'row 1', 'row 2', 'row 3'])
  })

  test('is never taller or wider than the terminal, whatever keys come', () => {
    const size = fc.record({ rows: fc.integer({ min: 1, max: 40 }), columns: fc.integer({ min: 1, max: 80 }) })
    fc.assert(
      fc.property(fc.string(), fc.nat({ max: 60 }), size, (keys, rows, { rows: height, columns }) => {
        const lines = picture(rows)
        const window = afterKeys(keys, { lines: lines.length, rows: height }) ?? AT_TOP
        const frame = shown(lines, window, { rows: height, columns })
        expect(frame.length).toBeLessThanOrEqual(Math.max(1, height - 1))
        expect(widthOf(frame[0] ?? '')).toBeLessThanOrEqual(columns)
      }),
    )
  })
})

test('keys are read one by one, also those that come together', () => {
  expect(keysIn('jq\u001b[5~\u001b?\u0003\u007f')).toEqual(['j', 'q', 'page-up', 'escape', '?', 'interrupt'])
})
