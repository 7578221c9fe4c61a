import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack, Topic } from '../support/attack.ts'

const FOLDER = join(import.meta.dirname, '../attacks')

const VERDICTS: Readonly<Record<Attack['verdict'], string>> = {
  prevented: 'no effect',
  noticed: 'noticed',
  open: '**open**',
}

/** The topics of test/attacks, by title. */
export async function topics(): Promise<readonly (Topic & { readonly file: string })[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.rows.ts'))
  const found = files.map(async (file) => ({ file, ...((await import(join(FOLDER, file))) as { ROWS: Topic }).ROWS }))
  return (await Promise.all(found)).sort((a, b) => a.title.localeCompare(b.title))
}

export async function attacksReference(): Promise<string> {
  const sections = (await topics()).map(({ title, attacks }) => {
    const rows = Object.values(attacks).map(
      ({ agent, fleet, verdict }) => `| ${agent} | ${VERDICTS[verdict]} | ${fleet} |`,
    )
    return `## ${title}\n\n| An agent … | | |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# What an agent can and cannot do

Generated from the rows of \`test/attacks\` by \`npm run docs\`; do not edit. A test tries each row, as root with pid namespaces and as an ordinary user without.

An agent runs as the user who started fleet, with the permissions that its coder gives it. It can do to the user's files and processes all that the user can. This page is about fleet itself: whether an agent, mistaken or hostile, can hold its slot, settle a task without evidence, make fleet run a program or change its settings unseen, or lose and double work.

- **no effect**: the attempt changes nothing, and mostly ends as the row says.
- **noticed**: it has an effect, and a person is told.
- **open**: fleet does not prevent it and may not notice. A sandbox around the agent, or another user for it, is the cure.

${sections.join('\n')}`
}
