import { expect } from 'vitest'
import type { RunOptions, TestHome } from './cli.ts'

export interface Check {
  readonly name: string
  readonly state: string
  readonly found: string
  readonly todo?: string
}

export interface Examined {
  readonly code: number | null
  /** By name. */
  readonly checks: Readonly<Record<string, Check>>
}

/** Runs `fleet doctor`. */
export function doctor(home: TestHome, options: RunOptions = {}): Examined {
  const { code, stdout, stderr } = home.fleet(['doctor', '--json'], options)
  expect(stderr).toBe('')
  const answer = JSON.parse(stdout)
  expect(answer).toMatchObject({ schema_version: 1, home: home.path, ok: code === 0 })
  return { code, checks: Object.fromEntries(answer.checks.map((check: Check) => [check.name, check])) }
}
