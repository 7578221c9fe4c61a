import type { Comment } from '../../../domain/task/comment.ts'
import { commentLine } from '../../../domain/task/interchange.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { atLeast } from '../parts/arguments.ts'
import { commentText } from '../parts/comment-text.ts'
import { resolveSaying } from '../parts/resolve.ts'

const add: BdCommand = {
  name: 'add',
  summary: 'Add a comment to an issue',
  usage: '[issue-id] [text...] [flags]',
  flags: [
    { name: 'author', short: 'a', kind: 'text', help: 'Add author to comment' },
    { name: 'file', short: 'f', kind: 'text', help: 'Read comment text from file' },
  ],
  async run(call) {
    const [typed, ...words] = atLeast(call, 1) as [string, ...string[]]
    const text = commentText(call, words, { hint: 'use positional args or -f to read from file' })
    const id = await resolveSaying(call, typed, `resolving ${typed}`)
    const added = await call.store.addComment(id, { author: call.flags.text('author') || call.actor, text })
    if (call.json) return call.answer(commentLine(added))
    call.print(`Comment added to ${id}`)
  },
}

const list: BdCommand = {
  name: 'list',
  summary: 'Invalid — use bd comments <issue-id> to list comments',
  usage: '',
  flags: [],
  async run() {
    throw new BdFailure(`"bd comments list" is not valid.

To list comments on an issue, run:
  bd comments <issue-id>

Example:
  bd comments bd-123

See: bd comments --help`)
  },
}

export const comments: BdCommand = {
  name: 'comments',
  summary: 'View or manage comments on an issue',
  usage: '[issue-id] [flags]',
  examples: ['fleet bd comments fleet-123', 'fleet bd comments add fleet-123 "This is a comment"'],
  flags: [{ name: 'local-time', kind: 'switch', help: 'Show timestamps in local time instead of UTC' }],
  subcommands: [add, list],
  reads: true,
  async run(call) {
    const typed = onlyId(call)
    const id = await resolveSaying(call, typed, `resolving ${typed}`)
    const all = await call.store.comments(id)
    if (call.json) return call.answer(all.map(commentLine))
    if (all.length === 0) return call.print(`No comments on ${id}`)
    call.print(`\nComments on ${id}:\n`)
    for (const each of all) printComment(call, each)
  },
}

function printComment(call: BdCall, { author, created_at, text }: Comment): void {
  const when = call.flags.on('local-time')
    ? localMinute(new Date(created_at))
    : created_at.slice(0, 16).replace('T', ' ')
  call.print(`[${plainLine(author)}] at ${when}`)
  for (const line of text.replace(/\n+$/, '').split('\n')) call.print(`  ${line}`)
  call.print('')
}

function localMinute(at: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

function onlyId(call: BdCall): string {
  const [id, second] = atLeast(call, 1) as [string, string?]
  if (second === undefined) return id
  if (second === 'add') {
    throw new BdFailure(`"bd comments <issue-id> add ..." is not valid — the subcommand must come first.

To add a comment, run:
  bd comments add <issue-id> <text>

Example:
  bd comments add ${id} "your comment"

See: bd comments --help`)
  }
  throw new BdFailure(`"bd comments" takes a single issue id and lists its comments.

To list comments:
  bd comments <issue-id>

To add a comment:
  bd comments add <issue-id> <text>

See: bd comments --help`)
}
