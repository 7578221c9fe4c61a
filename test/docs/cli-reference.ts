import type { BdCommand } from '../../src/cli/bd/command.ts'
import { commandHelp } from '../../src/cli/bd/help.ts'
import { NOT_SERVED } from '../../src/cli/bd/not-served.ts'
import { COMMANDS as BD_COMMANDS } from '../../src/cli/bd/registry.ts'
import { helpOf, overview } from '../../src/cli/help.ts'
import { COMMANDS } from '../../src/cli/registry.ts'
import { EXIT } from '../../src/errors.ts'

/** The reference page, from the tables that the program's own parser uses. */
export async function cliReference(): Promise<string> {
  const own = await Promise.all(COMMANDS.map((each) => each.load()))
  const bd = await Promise.all(BD_COMMANDS.map((each) => each.load()))
  const sections = [
    '# Command reference\n\nGenerated from the command tables by `npm run docs`; do not edit.',
    block(await overview()),
    '## Exit codes',
    [
      '| code | meaning |\n|---|---|',
      '| 0 | ok |',
      ...Object.entries(EXIT).map(([name, code]) => `| ${code} | ${name} |`),
    ].join('\n'),
    "`fleet bd` keeps bd's own codes: 0, 1, and 8 for what fleet does not serve.",
    ...own.flatMap((command) => [
      `## fleet ${command.name}`,
      block(helpOf(command, [command.name])),
      ...(command.subcommands ?? []).flatMap((sub) => [
        `### fleet ${command.name} ${sub.name}`,
        block(helpOf(sub, [command.name, sub.name])),
      ]),
    ]),
    '## fleet bd',
    "The queue in bd's own language. Flags of every command: `--json`, `--actor`, `--quiet`, `--readonly`, `--help`.",
    ...[...bd].sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((command) => bdSection(command)),
    '## bd commands that fleet does not serve on its own queue (exit 8)',
    [
      '| command | instead |\n|---|---|',
      ...[...NOT_SERVED].map(([name, instead]) => `| \`${name}\` | ${instead} |`),
    ].join('\n'),
  ]
  return `${sections.join('\n\n')}\n`
}

function bdSection(command: BdCommand, above: readonly string[] = []): string[] {
  const path = [...above, command.name]
  const refused = Object.entries(command.refused ?? {})
  return [
    `### fleet bd ${path.join(' ')}`,
    block(commandHelp(command, path).replace(/\n\nFlags of every command:[\s\S]*$/, '\n')),
    ...(refused.length === 0
      ? []
      : [`Refused here (exit 8): ${refused.map(([flag, instead]) => `\`--${flag}\` (${instead})`).join('; ')}.`]),
    ...(command.subcommands ?? []).flatMap((sub) => bdSection(sub, path)),
  ]
}

function block(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``
}
