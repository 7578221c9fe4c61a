import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { type Observed, perform } from './harness.ts'
import { fleetInProcess } from './in-process.ts'
import { GENERATED } from './scripts.ts'

vi.mock('../../src/platform/output.ts', async () => {
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

vi.mock('../../src/platform/input.ts', async (importOriginal) => {
  const { readInput } = await importOriginal<typeof import('../../src/platform/input.ts')>()
  const { streams } = await import('./streams.ts')
  return { readInput: (path: string) => (path === '-' ? streams.input : readInput(path)) }
})

/** `fleet bd` against what the real bd printed for the same generated commands, which nobody marked as different. */
test.each(GENERATED.map((script) => [script.name, script] as const))('%s', async (_, script) => {
  const bd = JSON.parse(readFileSync(script.recording, 'utf8')) as readonly Observed[]
  const fleet = await perform(script, { kind: 'in-process', start: fleetInProcess })
  expect(fleet.map(withoutHints)).toEqual(bd.map(withoutHints))
})

/** Where bd says that there is no such task, or that there is a cycle, fleet names what may have been meant, and the cycle. */
function withoutHints(observed: Observed): Observed {
  return { ...observed, stdout: unhinted(observed.stdout), stderr: unhinted(observed.stderr) }
}

function unhinted(said: unknown): unknown {
  if (typeof said === 'string') return said.replace(/\n?Hint: .*| \(did you mean [^)]*\)|(?<=create a cycle): .*/g, '')
  if (typeof said !== 'object' || said === null || !('error' in said)) return said
  const { hint: _hint, ...rest } = said as { hint?: string; error: string }
  return { ...rest, error: unhinted(rest.error) }
}
