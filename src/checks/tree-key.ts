import { createHash } from 'node:crypto'
import type { VerifyCommand } from '../domain/verify/verification.ts'
import type { KnownTree } from './known-tree.ts'

/** Variables that change from one shell to the next and say nothing about the result of a command. */
const VOLATILE =
  /^(?:FLEET_.*|_|PWD|OLDPWD|SHLVL|TMPDIR|TERM.*|COLORTERM|COLUMNS|LINES|WINDOWID|DISPLAY|SSH_.*|XDG_(?:SESSION|SEAT|VTNR|RUNTIME).*|DBUS_.*|INVOCATION_ID|JOURNAL_STREAM|TMUX.*|STY|WT_.*|ITERM_.*|GPG_TTY)$/

/** The key of a remembered pass: the tree, the commands and where they run, and the environment that they get. */
export function treeKey(
  { tree, below }: KnownTree,
  { commands, env }: { commands: readonly VerifyCommand[]; env: Readonly<Record<string, string>> },
): string {
  const variables = Object.entries(env)
    .filter(([name]) => !VOLATILE.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = commands.map(({ name, command }) => [name, command])
  const facts = [tree, below, lines, variables, process.platform, process.arch]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}
