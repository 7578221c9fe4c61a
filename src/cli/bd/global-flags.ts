import type { Flag } from '../flags.ts'

/** Flags of every bd command. Those for bd's own storage are accepted and have no effect. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: 'help', short: 'h', kind: 'switch', help: 'Help for this command' },
  { name: 'json', kind: 'switch', help: 'Output in JSON format' },
  { name: 'format', kind: 'text', help: "'json' is another way to say --json", hidden: true },
  { name: 'no-color', kind: 'switch', help: 'Accepted; there is no colour to disable', hidden: true },
  { name: 'actor', kind: 'text', help: 'Actor name for the audit trail (default: $BD_ACTOR, $BEADS_ACTOR, $USER)' },
  { name: 'quiet', short: 'q', kind: 'switch', help: 'Suppress non-essential output (errors only)' },
  { name: 'verbose', short: 'v', kind: 'switch', help: 'Enable verbose output', hidden: true },
  { name: 'readonly', kind: 'switch', help: 'Read-only mode: block write operations' },
  { name: 'directory', short: 'C', kind: 'text', help: 'Run as if started in this directory (like git -C)' },
  { name: 'no-color', kind: 'switch', help: 'Accepted; nothing is coloured', hidden: true },
  { name: 'version', short: 'V', kind: 'switch', help: 'Print version information', hidden: true },
  { name: 'sandbox', kind: 'switch', help: 'Accepted; fleet never pushes by itself', hidden: true },
  { name: 'dolt-auto-commit', kind: 'text', help: 'Accepted; the local queue commits every command', hidden: true },
]

/** These choose another database; fleet has one queue per home. */
export const REFUSED_GLOBAL_FLAGS: Readonly<Record<string, string>> = {
  db: 'the queue is the one of the home; set FLEET_HOME to use another',
  database: 'the queue is the one of the home; set FLEET_HOME to use another',
  global: 'the queue is the one of the home; set FLEET_HOME to use another',
}

/** Before the command name, the argument after one of these is its value. */
export const TAKES_VALUE: ReadonlySet<string> = new Set([
  ...GLOBAL_FLAGS.filter((flag) => flag.kind === 'text').flatMap(({ name, short }) => [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]),
  '--db',
  '--database',
])
