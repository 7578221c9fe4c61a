import { expect, test } from 'vitest'
import { cpuShare, type Look, type Looks, withLook } from '../../../../src/domain/run/diagnosis/look.ts'

const AGENT = { pid: 800, name: 'claude', cpuMs: 0, isTool: false }
const LOOK: Look = { at: 0, cpuMs: 0, tools: 0, processes: [AGENT] }

test('the use of the processor is known over at least half of the window, and over no more than all of it', () => {
  let looks: Looks | undefined
  for (let at = 0; at <= 1000; at += 30) {
    looks = withLook(looks, { ...LOOK, at, cpuMs: at }, 300)
    const span = looks.latest.at - looks.base.at
    expect(span).toBeLessThanOrEqual(300)
    if (at >= 300) expect(span).toBeGreaterThanOrEqual(150)
  }
})

test('the processor that was used long ago is forgotten', () => {
  let looks: Looks | undefined
  for (let at = 0; at <= 1000; at += 30) looks = withLook(looks, { ...LOOK, at, cpuMs: Math.min(at, 200) }, 300)
  expect(cpuShare(looks as Looks)).toBe(0)
})

test('a look that shows no process tells nothing of the processor, and is no start to compare with', () => {
  const unseen = { ...LOOK, processes: [] }
  const later = { ...LOOK, at: 300, cpuMs: 200 }
  expect(cpuShare({ base: unseen, latest: later })).toBe(undefined)
  expect(cpuShare({ base: LOOK, latest: { ...unseen, at: 300 } })).toBe(undefined)
})

test('one look tells nothing of the processor', () => {
  expect(cpuShare(withLook(undefined, LOOK, 300))).toBe(undefined)
})
