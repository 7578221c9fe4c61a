import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { compareWithBd } from './compare.ts'
import { type Observed, perform, type Side } from './harness.ts'
import { fleetInProcess } from './in-process.ts'
import { GENERATED, SCRIPTS, WRITTEN } from './scripts.ts'

vi.mock('../../src/platform/terminal/output.ts', async () => {
  const { streams } = await import('./streams.ts')
  return {
    writeOut: (text: string) => {
      streams.out += text
    },
    writeErr: (text: string) => {
      streams.err += text
    },
    isOutputGone: () => false,
  }
})

vi.mock('../../src/platform/terminal/input.ts', async (importOriginal) => {
  const { readInput } = await importOriginal<typeof import('../../src/platform/terminal/input.ts')>()
  const { streams } = await import('./streams.ts')
  return { readInput: (path: string) => (path === '-' ? streams.input : readInput(path)) }
})

const inProcess: Side = { kind: 'in-process', start: fleetInProcess }

/**
 * `fleet bd` against the recorded output of the real bd (recorded/, checked by bd-prints.test.ts), and, where it
 * differs on purpose, against its own earlier output (recorded-fleet/, rewritten with --update).
 */
for (const { topic, scripts } of WRITTEN) {
  describe(topic, () => {
    test.each(scripts.map((script) => [script.name, script] as const))('%s', (_, script) =>
      compareWithBd(script, inProcess),
    )
  })
}

test('no two scripts share a recording', () => {
  const files = SCRIPTS.flatMap(({ scripts }) => scripts.map((script) => script.recording))
  expect(new Set(files).size).toBe(files.length)
})

/** Generated commands against the recorded output of the real bd, without any marked differences. */
test.each(GENERATED.map((script) => [script.name, script] as const))('%s', async (_, script) => {
  const bd = JSON.parse(readFileSync(script.recording, 'utf8')) as readonly Observed[]
  const fleet = await perform(script, inProcess)
  expect(fleet.map(withoutHints)).toEqual(bd.map(withoutHints))
})

/**
 * For an unknown task or a cycle, fleet adds the nearest ids or the cycle to bd's message; where bd recommends a command that
 * fleet does not serve, fleet recommends another.
 */
function withoutHints(observed: Observed): Observed {
  return { ...observed, stdout: unhinted(observed.stdout), stderr: unhinted(observed.stderr) }
}

function unhinted(said: unknown): unknown {
  if (typeof said === 'string') {
    return said
      .replace(/\n?Hint: .*| \(did you mean [^)]*\)|(?<=create a cycle): .*/g, '')
      .replace(/(?<=coordinate with the holder|templates are read-only|actor is "[^"]*";).*/g, '')
  }
  if (typeof said !== 'object' || said === null || !('error' in said)) return said
  const { hint: _hint, ...rest } = said as { hint?: string; error: string }
  return { ...rest, error: unhinted(rest.error) }
}
