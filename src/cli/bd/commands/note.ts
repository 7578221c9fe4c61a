import { issueJson } from '../../../views/json/issue.ts'
import { type BdCommand, BdFailure } from '../command.ts'
import { amendOne } from '../parts/amend-one.ts'
import { atLeast } from '../parts/arguments.ts'
import { commentText } from '../parts/comment-text.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { named } from '../parts/feedback.ts'

export const note: BdCommand = {
  name: 'note',
  summary: 'Append a note to an issue',
  usage: '<id> [text...] [flags]',
  about: `Append a note to the notes of an issue, below what stands there: short for update --append-notes.
fleet bd show <id> reads them.`,
  examples: ['fleet bd note fleet-a1b "Fixed the flaky test"', 'fleet bd note fleet-a1b --file notes.txt'],
  flags: [
    { name: 'file', kind: 'text', help: 'Read note text from file' },
    { name: 'stdin', kind: 'switch', help: 'Read note text from stdin' },
  ],
  async run(call) {
    const [typed, ...words] = atLeast(call, 1) as [string, ...string[]]
    const mistaken = mistakenFor(typed)
    if (mistaken !== undefined) throw new BdFailure(mistaken)
    refuseReadonly(call, 'note')
    const text = commentText(call, words, { what: 'note', hint: 'use positional args, --stdin, or --file' })
    const task = await amendOne(call, typed, { change: { appendNotes: text } })
    if (call.json) call.answer(issueJson(task))
    else call.print(`✓ Note added to ${named(task.id, task.title)}`)
  },
}

const APPEND = 'To append a note:\n  bd note <issue-id> "text"'
const READ = 'To read notes on an issue:\n  bd show <issue-id>'
const ONLY = '"note" only appends and has no'
const FIRST = '"note" takes an issue id first and has no'
const change = (what: string) => `To ${what}:\n  bd update <issue-id> --notes "text"`

/** Words that users mistake for subcommands of `note`. */
const MISTAKEN: Readonly<Record<string, readonly [why: string, ...instead: string[]]>> = {
  list: [`${FIRST} "list" subcommand.`, APPEND, READ],
  add: [
    '"note" already means "append a note" and takes an issue id first, not the word "add".',
    APPEND,
    '(Equivalent long form: bd update <issue-id> --append-notes "text".)',
  ],
  show: [`${FIRST} "show" subcommand.`, READ, APPEND],
  edit: [`${ONLY} "edit" subcommand.`, APPEND, change('change an issue field')],
  rm: [`${ONLY} "rm" subcommand.`, APPEND, change('change or clear notes')],
  remove: [`${ONLY} "remove" subcommand.`, APPEND, change('change or clear notes')],
  delete: [`${ONLY} "delete" subcommand.`, APPEND, change('change or clear notes')],
  update: [
    `${FIRST} "update" subcommand.`,
    APPEND,
    `${change('set or append notes via the long form')}\n  bd update <issue-id> --append-notes "text"`,
  ],
}

function mistakenFor(typed: string): string | undefined {
  if (!Object.hasOwn(MISTAKEN, typed)) return undefined
  const [why, ...instead] = MISTAKEN[typed] ?? []
  return [`"bd note ${typed} ..." is not valid — ${why}`, ...instead, 'See: bd note --help'].join('\n\n')
}
