import { totalmem } from 'node:os'

const VM_STAT = '/usr/bin/vm_stat'
const WITHIN_MS = 1000

/**
 * Bytes available to new processes on macOS; undefined: `vm_stat` cannot tell. Node would report only the pages that are
 * quite unused, which macOS keeps near zero, and nothing would ever be started.
 */
export function macMemory(program = VM_STAT): number | undefined {
  // Loaded here: most commands start no program and must not pay for the module.
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { status, stdout } = spawnSync(program, {
    encoding: 'utf8',
    timeout: WITHIN_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const found = status === 0 ? availableIn(stdout) : undefined
  // Node asks `sysctl hw.memsize` for the whole.
  return found === undefined ? undefined : Math.min(found, totalmem())
}

/**
 * Reads the output of `vm_stat`: free and speculative pages, and inactive ones, which hold caches that macOS gives away.
 * undefined: it is not in the form we know.
 */
export function availableIn(text: string): number | undefined {
  const pageSize = Number(/\(page size of (\d+) bytes\)/.exec(text)?.[1])
  const pages = ['Pages free', 'Pages inactive', 'Pages speculative'].map((name) => countOf(text, name))
  const [free, inactive, speculative = 0] = pages
  if (!(pageSize > 0) || free === undefined || inactive === undefined) return undefined
  const bytes = (free + inactive + speculative) * pageSize
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

function countOf(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+)\\.?\\s*$`, 'm').exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}
