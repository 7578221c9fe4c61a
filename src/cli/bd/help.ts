import type { Flag } from '../flags.ts'
import { flagLines } from '../render/help.ts'
import type { BdCommand } from './command.ts'
import { GLOBAL_FLAGS } from './global-flags.ts'
import { COMMANDS } from './registry.ts'

export async function commandList(): Promise<string> {
  const commands = await listed()
  const width = Math.max(...commands.map((command) => command.name.length)) + 2
  const rows = commands.map((command) => `  ${command.name.padEnd(width)}${command.summary}`).sort()
  return `The queue, in bd's own language.

Usage:
  fleet bd [command] [flags]

Commands:
${rows.join('\n')}

Flags of every command:
${flagLines(GLOBAL_FLAGS).join('\n')}

Use "fleet bd [command] --help" for more about a command.
`
}

async function listed(): Promise<BdCommand[]> {
  const commands = await Promise.all(COMMANDS.map((each) => each.load()))
  return commands.filter((command) => command.hidden !== true)
}

/** The output of `bd help --list`. */
export async function commandNames(): Promise<readonly string[]> {
  return (await listed()).map((command) => command.name).sort()
}

/** Every command in one Markdown document. */
export async function wholeReference(): Promise<string> {
  const sorted = (await listed()).sort((a, b) => (a.name < b.name ? -1 : 1))
  const contents = sorted.map(({ name, summary }) => `- [fleet bd ${name}](#fleet-bd-${name}) — ${summary}`)
  const sections = sorted.flatMap((command) => commandSections(command, [command.name], '##'))
  return `# fleet bd: every command\n\n${contents.join('\n')}\n\n${sections.join('\n\n')}\n`
}

/** One command as a Markdown page. */
export function commandPage({ command, path }: { command: BdCommand; path: readonly string[] }): string {
  const title = `bd ${path.join(' ')}`
  const [, ...body] = commandSections(command, path, '#')
  return `---\ntitle: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(command.summary)}\n---\n\n${body.join('\n\n')}\n`
}

function commandSections(command: BdCommand, path: readonly string[], heading: string): string[] {
  const subs = (command.subcommands ?? []).flatMap((sub) => commandSections(sub, [...path, sub.name], `${heading}#`))
  const own = commandHelp(command, path).replace(/\n\nFlags of every command:[\s\S]*$/, '')
  return [`${heading} fleet bd ${path.join(' ')}`, `\`\`\`text\n${own}\n\`\`\``, ...subs]
}

export function commandHelp(command: BdCommand, path: readonly string[]): string {
  const sections = [command.about ?? command.summary, `Usage:\n  fleet bd ${path.join(' ')} ${command.usage}`]
  if (command.aliases !== undefined) sections.push(`Aliases:\n  ${[command.name, ...command.aliases].join(', ')}`)
  if (command.examples !== undefined)
    sections.push(`Examples:\n${command.examples.map((line) => `  ${line}`).join('\n')}`)
  if (command.subcommands !== undefined) {
    const width = Math.max(...command.subcommands.map((sub) => sub.name.length)) + 2
    sections.push(
      `Commands:\n${command.subcommands.map((sub) => `  ${sub.name.padEnd(width)}${sub.summary}`).join('\n')}`,
    )
  }
  if (command.flags.length > 0) sections.push(`Flags:\n${flagLines(byName(command.flags)).join('\n')}`)
  sections.push(`Flags of every command:\n${flagLines(GLOBAL_FLAGS).join('\n')}`)
  return `${sections.join('\n\n')}\n`
}

function byName(flags: readonly Flag[]): Flag[] {
  return [...flags].sort((a, b) => (a.name < b.name ? -1 : 1))
}
