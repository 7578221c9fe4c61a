import { HONEST } from '../evidence/honest.ts'
import type { Honest, Lie } from '../evidence/kinds.ts'
import { LIES } from '../evidence/lies.ts'

const FOUND_BY: Readonly<Record<NonNullable<Lie['foundBy']>, string>> = {
  verify: "the project's checks (`verify`)",
  'tamper check': "the project's checks with the tests as they were (`tamper`)",
  review: 'a person (`close_at = reviewed`)',
}

export function evidenceReference(): string {
  const lies = Object.values(LIES).map(
    ({ agent, closes, foundBy }) =>
      `| ${cell(agent)} | ${closes ? '**closes**' : 'refused'} | ${foundBy === undefined ? '' : FOUND_BY[foundBy]} |`,
  )
  const honest = Object.values(HONEST).map(
    ({ agent, closes, remedy }) => `| ${cell(agent)} | ${closes ? 'closes' : 'refused'} | ${remedyText(remedy)} |`,
  )
  return `# What counts as evidence

Generated from the rows of \`test/evidence\` by \`npm run docs\`; do not edit. A test plays each row with a real agent, and each remedy too.

Each row is a task at the level \`evidenced\` in a directory that it may share, and an agent that says that it is done. [Tasks and evidence](../guide/tasks-and-evidence.md#what-counts) has the rules behind the rows.

## Lies

${Object.keys(LIES).length} ways to claim a task that is not done. fleet cannot know what was asked: a change that shows work passes \`evidenced\`, and the last column says what finds it then.

| An agent … | \`evidenced\` | found by |
|---|---|---|
${lies.join('\n')}

## Honest work

${Object.keys(HONEST).length} kinds of work. Where the evidence is not in the directory of the task, or looks like no work, the person who creates the task says so with the flag in the last column; the reason of the refusal names it.

| An agent … | \`evidenced\` | remedy |
|---|---|---|
${honest.join('\n')}
`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

function remedyText(remedy: Honest['remedy']): string {
  return remedy === undefined ? '' : `\`${remedy.join(' ').replace('$NAME-', '')}\``
}
