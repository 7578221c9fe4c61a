import { expect } from 'vitest'

/**
 * Every documented setting and the file here that shows its effect, through the built CLI and with real agents. A row
 * fails if fleet ignores its setting: it waits for something that the default never does, or compares a value that only
 * the setting explains. schema.test.ts compares this table with the table of settings.
 */
export const ROWS: Readonly<Record<string, File>> = {
  max_concurrent: 'agents',
  coder: 'agents',
  model: 'agents',
  context_pressure_threshold_pct: 'agents',
  queue: 'agents',
  max_attempts: 'agents',
  close_at: 'agents',
  permissions: 'agents',
  env_pass: 'agents',
  isolation: 'worktrees',
  sandbox: 'sandbox',
  sandbox_network: 'sandbox',
  sandbox_write: 'sandbox',
  sandbox_read: 'sandbox',
  sandbox_hide: 'sandbox',
  lean: 'agents',
  pid_namespace: 'agents',
  'timeouts.first_event': 'timeouts',
  'timeouts.idle': 'timeouts',
  'timeouts.tool': 'timeouts',
  'timeouts.tool_mcp': 'timeouts',
  'timeouts.tool_agent': 'timeouts',
  'timeouts.after_result': 'timeouts',
  'timeouts.grace': 'timeouts',
  'timeouts.wall': 'timeouts',
  'timeouts.verify': 'timeouts',
  'timeouts.lease': 'timeouts',
  'limits.memory': 'limits',
  'retention.compress_after': 'retention',
  'retention.remove_after': 'retention',
  'hosts.name': 'hosts',
  'hosts.labels': 'hosts',
  'hosts.paths': 'hosts',
  'hosts.clone': 'hosts',
  'projects.*.close_at': 'projects',
  'projects.*.verify': 'projects',
  'projects.*.tamper': 'projects',
  'projects.*.tamper_include': 'projects',
  'projects.*.by_products': 'worktrees',
  'projects.*.scope': 'projects',
  'projects.*.read_only': 'projects',
  'projects.*.coder': 'projects',
  'projects.*.model': 'projects',
  'projects.*.isolation': 'worktrees',
  'projects.*.sandbox': 'sandbox',
  'projects.*.sandbox_network': 'sandbox',
  'projects.*.sandbox_write': 'sandbox',
  'projects.*.setup': 'worktrees',
  'projects.*.worktree_include': 'worktrees',
  'projects.*.max_concurrent': 'projects',
  'projects.*.review_by': 'projects',
  'projects.*.max_unreviewed': 'projects',
  'projects.*.land': 'landing',
  'projects.*.land_as': 'landing',
  'projects.*.target': 'landing',
  'projects.*.push': 'landing',
  'coders.*.command': 'coders',
  'coders.*.format': 'coders',
  'coders.*.model': 'coders',
  'coders.*.context_window': 'coders',
  'coders.*.resume': 'coders',
  'coders.*.env': 'coders',
  'coders.*.claim': 'coders',
}

type File =
  | 'limits'
  | 'sandbox'
  | 'worktrees'
  | 'agents'
  | 'timeouts'
  | 'retention'
  | 'hosts'
  | 'projects'
  | 'landing'
  | 'coders'

/** One row of the file: rows that share a supervisor stand in one test. */
export type Row = (key: string, check: () => Promise<void> | void) => Promise<void>

export interface Rows {
  /** A row that fails lets the others of its test go on, so that one run names every setting that is not in force. */
  readonly row: Row
  /** For the last test of the file: all rows of the file were shown, but for those that this machine cannot show. */
  expectAll(cannot?: readonly string[]): void
}

/** For a test file of this folder: its rows must be those that the table promises. */
export function rowsOf(file: File): Rows {
  const shown = new Set<string>()
  const failures: string[] = []
  const promised = Object.keys(ROWS).filter((key) => ROWS[key] === file)
  return {
    async row(key, check) {
      shown.add(key)
      try {
        await check()
      } catch (error) {
        failures.push(`${key} is not in force: ${error instanceof Error ? error.message : error}`)
      }
    },
    expectAll(cannot = []) {
      expect(failures).toEqual([])
      expect([...shown, ...cannot].sort()).toEqual(promised.sort())
    },
  }
}
