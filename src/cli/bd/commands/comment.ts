import { commentLine } from '../../../domain/task/interchange.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { type BdCommand, BdFailure } from '../command.ts'
import { atLeast } from '../parts/arguments.ts'
import { commentText } from '../parts/comment-text.ts'
import { resolveSaying } from '../parts/resolve.ts'

export const comment: BdCommand = {
  name: 'comment',
  summary: 'Add a comment to an issue',
  usage: '<id> [text...] [flags]',
  examples: ['fleet bd comment fleet-123 "Working on this now"', 'fleet bd comment fleet-123 --file notes.txt'],
  flags: [
    { name: 'file', kind: 'text', help: 'Read comment text from file' },
    { name: 'stdin', kind: 'switch', help: 'Read comment text from stdin' },
  ],
  async run(call) {
    const [typed, ...words] = atLeast(call, 1) as [string, ...string[]]
    const mistaken = MISTAKEN[typed]
    if (mistaken !== undefined) throw new BdFailure(mistaken)
    const text = commentText(call, words, { hint: 'use positional args, --stdin, or --file' })
    const id = await resolveSaying(call, typed, `resolving ${typed}`)
    const task = await call.store.get(id)
    if (task?.is_template === true) throw new BdFailure(`cannot modify template ${id}: templates are read-only`)
    const added = await call.store.addComment(id, { author: call.actor, text })
    if (call.json) return call.answer(commentLine(added))
    call.print(`✓ Comment added to ${id} — ${plainLine(task?.title ?? '')}`)
  },
}

/** Subcommands of `comments`: refused here, because they would be read as the beginning of an id. */
const MISTAKEN: Readonly<Record<string, string>> = {
  list: `"bd comment list ..." is not valid — "comment" (singular) takes an issue id first and has no "list" subcommand.

To list comments on an issue:
  bd comments <issue-id>

To add a comment:
  bd comment <issue-id> "text"

See: bd comment --help`,
  add: `"bd comment add ..." is not valid — "comment" (singular) already means "add a comment" and takes an issue id first, not the word "add".

To add a comment:
  bd comment <issue-id> "text"

("add" is only a subcommand of the plural form: bd comments add <issue-id> "text".)

See: bd comment --help`,
}
