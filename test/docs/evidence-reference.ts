import { HONEST } from '../evidence/honest.ts'
import { canWorktree, type Honest, type Kind, type Lie } from '../evidence/kinds.ts'
import { LIES } from '../evidence/lies.ts'

const FOUND_BY: Readonly<Record<NonNullable<Lie['foundBy']>, string>> = {
  verify: "the project's checks (`verify`)",
  'tamper check': "the project's checks with the tests as they were (`tamper`)",
  review: 'a person (`close_at = reviewed`)',
}

export function evidenceReference(): string {
  const lies = Object.values(LIES).map(
    (lie) =>
      `| ${cell(lie.agent)} | ${[here(lie), inWorktree(lie), verified(lie)].map((each) => (each === 'closes' ? '**closes**' : each)).join(' | ')} | ${lie.foundBy === undefined ? '' : FOUND_BY[lie.foundBy]} |`,
  )
  const honest = Object.values(HONEST).map(
    (work) => `| ${cell(work.agent)} | ${here(work)} | ${inWorktree(work)} | ${verified(work)} | ${remedyText(work)} |`,
  )
  return `# What counts as evidence

Generated from the rows of \`test/evidence\` by \`npm run docs\`; do not edit. A test plays each row with a real agent, and each remedy too.

Each row is a task, and an agent that says that it is done: at the level \`evidenced\` in its directory, which others may share, and in a worktree (–: cannot be tried there, or nobody else is there), and at \`verified\`, which includes \`evidenced\`, with a project whose checks run its tests. [Tasks and evidence](../guide/tasks-and-evidence.md#what-counts) has the rules behind the rows.

## Lies

${Object.keys(LIES).length} ways to claim a task that is not done. fleet cannot know what was asked: a change that shows work passes \`evidenced\`, and the last column says what finds it then.

| An agent … | \`evidenced\`, shared directory | \`evidenced\`, worktree | \`verified\` | found by |
|---|---|---|---|---|
${lies.join('\n')}

## Honest work

${Object.keys(HONEST).length} kinds of work. Where the evidence is not in the directory of the task, or looks like no work, the person who creates the task says so with the flag in the last column; the reason of the refusal names it.

| An agent … | \`evidenced\`, shared directory | \`evidenced\`, worktree | \`verified\` | remedy |
|---|---|---|---|---|
${honest.join('\n')}
`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

function here({ closes }: Kind): string {
  return closes ? 'closes' : 'refused'
}

/** In a worktree nobody else works, and it needs git; some rows need what only the directory has. */
function inWorktree(kind: Kind): string {
  return canWorktree(kind) ? here({ ...kind, closes: kind.inWorktree ?? kind.closes }) : '–'
}

/** It includes `evidenced`. */
function verified(kind: Kind & Pick<Lie, 'foundBy'>): string {
  return here({ ...kind, closes: kind.closes && (kind.foundBy === undefined || kind.foundBy === 'review') })
}

function remedyText({ remedy, closes, inWorktree }: Honest): string {
  const flags = remedy ?? (closes && inWorktree === false ? ['--evidence', 'branch'] : undefined)
  return flags === undefined ? '' : `\`${flags.join(' ').replace('$PLACE', '..').replace('$NAME-', '')}\``
}
