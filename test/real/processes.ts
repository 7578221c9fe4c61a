import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ran } from '../support/cli.ts'

export interface Place {
  readonly cwd: string
  /** The complete environment: nothing is inherited from the tests. */
  readonly env: Readonly<Record<string, string>>
}

/** Runs a command with closed stdin to its end. */
export async function ran(argv: readonly [string, ...string[]], { cwd, env }: Place): Promise<Ran> {
  const [file, ...rest] = argv
  const child = spawn(file, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

/** Every process with `NAME=value` in its environment; reads /proc itself, independently of fleet. */
export function marked(name: string, value: string): readonly number[] {
  const needle = `\0${name}=${value}\0`
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      return `\0${readFileSync(`/proc/${entry}/environ`, 'latin1')}`.includes(needle) ? [Number(entry)] : []
    } catch {
      return [] // ended, or owned by another user
    }
  })
}

export function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

/** Polls, because there is no event to wait for. `what` is called only on a timeout. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: () => string,
  withinMs = 60_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs / 1000} s: ${what()}`)
    await delay(50)
  }
}
