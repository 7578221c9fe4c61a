import type { Command } from './command.ts'
import { INSIDE } from './inside-run.ts'
import { COMMANDS, type CommandName, SHORT_FOR } from './registry.ts'
import { flagLines } from './render/help.ts'

export async function overview(): Promise<string> {
  const commands = await Promise.all(COMMANDS.map((each) => each.load()))
  const all = commands.map(({ name, summary }) => [name, summary] as const)
  const isForAgents = (name: string): boolean => INSIDE[name as CommandName] === 'speaks'
  const people = [
    ...all.filter(([name]) => !isForAgents(name)),
    ...Object.entries(SHORT_FOR).map(([name, words]) => [name, `short for fleet ${words.join(' ')}`] as const),
    ['bd', "the queue, in bd's own language (fleet bd --help)"] as const,
  ]
  const width = Math.max(...people.map(([name]) => name.length)) + 2
  const list = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([name, summary]) => `  ${name.padEnd(width)}${summary}`).join('\n')
  return `fleet runs coding agents in parallel on the tasks of one central queue.

Usage:
  fleet <command> [flags]

Commands:
${list(people)}

For agents, inside their run:
${list(all.filter(([name]) => isForAgents(name)))}

First steps:
  fleet init                                   make the home (~/.fleet, or $FLEET_HOME)
  cd ~/my/project && fleet create "Fix X"      a task; it remembers the directory
  fleet ready                                  what would be started next
  fleet run                                    start agents on it (fleet run start: in the background)
  fleet tasks                                  what is running, and what needs you

fleet help <command> explains each; --json gives one document for programs.
`
}

export function helpOf(command: Command, path: readonly string[]): string {
  const sections = [command.about ?? command.summary, `Usage:\n  fleet ${path.join(' ')} ${command.usage}`]
  if (command.subcommands !== undefined) {
    const width = Math.max(...command.subcommands.map((sub) => sub.name.length)) + 2
    sections.push(
      `Commands:\n${command.subcommands.map((sub) => `  ${sub.name.padEnd(width)}${sub.summary}`).join('\n')}`,
    )
  }
  if (command.examples !== undefined)
    sections.push(`Examples:\n${command.examples.map((line) => `  ${line}`).join('\n')}`)
  if (command.flags.length > 0) sections.push(`Flags:\n${flagLines(command.flags).join('\n')}`)
  return `${sections.join('\n\n')}\n`
}
