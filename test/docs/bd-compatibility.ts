import type { BdCommand } from '../../src/cli/bd/command.ts'
import { NOT_SERVED } from '../../src/cli/bd/not-served.ts'
import { COMMANDS } from '../../src/cli/bd/registry.ts'
import { GENERATED, SCRIPTS } from '../differential/scripts.ts'

/** Where fleet and bd differ, from the suite that compares them: only marked steps may differ. */
export async function bdCompatibility(): Promise<string> {
  const scripts = SCRIPTS.flatMap((each) => each.scripts)
  const steps = scripts.reduce((sum, script) => sum + script.steps.length, 0)
  const reasons = new Map<string, string[]>()
  for (const step of scripts.flatMap((script) => script.steps)) {
    if (step.differs === undefined) continue
    const examples = reasons.get(step.differs) ?? []
    examples.push(step.argv.join(' '))
    reasons.set(step.differs, examples)
  }
  const commands = await Promise.all(COMMANDS.map((each) => each.load()))
  const refused = commands.flatMap((command) => refusedFlags(command))
  const served = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]).sort()
  return `# Where fleet differs from bd

Generated from the differential suite by \`npm run docs\`; do not edit.

${steps} commands in ${scripts.length} scripts, ${GENERATED.length} of them generated from seeds, run through the real bd 1.3.0 and through \`fleet bd\`; text, JSON, stderr and exit codes are compared after ids, times and paths are normalised. Where they differ on purpose:

| why | seen in |
|---|---|
${[...reasons]
  .map(
    ([why, examples]) =>
      `| ${cell(why)} | ${examples
        .slice(0, 2)
        .map((example) => `\`${cell(short(example))}\``)
        .join(', ')} |`,
  )
  .join('\n')}

Served on every queue: ${served.map((name) => `\`${name}\``).join(', ')}.

Everywhere:

- The \`owner\`, which bd takes from git, is empty unless imported: fleet starts no process to answer a command. The actor is \`--actor\`, \`$BD_ACTOR\`, \`$BEADS_ACTOR\`, then \`$USER\`.
- A claim by a person has no lease, so \`lease_expires_at\`, \`heartbeat_at\` and \`revision\` are missing, and \`delete\` counts no events: the history of a deleted task is kept.
- \`create --json\` carries the issue once more under \`data\`, so that scripts written for bd and for its envelope both find the id.
- Dependencies come oldest first; bd's order is that of random keys. bd pads and emboldens some text even in a pipe; fleet does not.
- fleet keeps a task's directory, coder and model in its metadata under \`fleet\`.
- Ids are the whole id, the id without its prefix, or the beginning of one; \`--parent\` takes them too; a command that is given no id never picks "the last touched" task.
- Input that is not UTF-8, JSON nested more than 100 levels deep and times outside the years 0001 to 9999 are refused; a byte order mark before an import is skipped.
- A new parent is refused when the task, or one below it, waits for what would then be its ancestor.
- Where there is no such task, or nothing has that name, fleet adds a hint with what may have been meant.
- \`query\` tells names, labels and owners apart by case, as \`list\` does; bd does so only where neither OR nor NOT stands beside them.
- Ready work comes by priority, then oldest, then id, as in bd; a claim takes the one that arrived first.
- Due dates and deferrals are shown as days of your own time zone, all other days in UTC, as in bd.
- \`config\` keeps its values in the queue, so that every machine that shares it sees the same ones; it has no \`config.yaml\`, and refuses keys that nothing here reads. \`BD_LIST_LIMIT\` overrides \`list.limit\`.
- A neighbour in \`show --json\` comes without fleet's own settings in its metadata: bd's programs read it as an issue or as an edge.
- An issue of type \`molecule\` closes with its last step, whoever closes that: a person or the supervisor. On a beads queue bd decides.
- Inside a run an agent keeps at most 200 memories and 200 values of 4096 bytes, and 20 labels of 60 characters on a task of its own. It replaces and removes no memory or value: \`forget\` and \`kv clear\` are for people. It reads the configuration and changes none; \`unclaim\`, \`supersede\`, \`duplicate\`, \`priority\`, \`edit\` and \`human respond\` are for people.
- Nothing is coloured, and terminal escapes in titles, descriptions and comments never reach the terminal.

## Flags that are refused (exit 8)

| flag | instead |
|---|---|
${refused.join('\n')}

## Commands that are not served (exit 8)

| command | instead |
|---|---|
${[...NOT_SERVED].map(([name, instead]) => `| \`${name}\` | ${cell(instead)} |`).join('\n')}
`
}

/** Also those of its subcommands, and by their letters. */
function refusedFlags(command: BdCommand, above: readonly string[] = []): string[] {
  const path = [...above, command.name]
  const letters = new Map(Object.entries(command.refusedShort ?? {}).map(([letter, flag]) => [flag, letter]))
  const own = Object.entries(command.refused ?? {}).map(([flag, instead]) => {
    const letter = letters.get(flag)
    return `| \`${path.join(' ')} --${flag}\`${letter === undefined ? '' : `, \`-${letter}\``} | ${cell(instead)} |`
  })
  return [...own, ...(command.subcommands ?? []).flatMap((sub) => refusedFlags(sub, path))]
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
