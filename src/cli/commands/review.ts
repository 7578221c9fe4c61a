import { type Reviewed, type ReviewWish, reviewTask } from '../../actions/review.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import { AppError } from '../../errors.ts'
import { isTyped, terminal, terminals } from '../../platform/terminal/terminal.ts'
import { decisionJson, reviewJson, waitingReviewsJson } from '../../views/json/review.ts'
import { redaction } from '../../views/redaction.ts'
import { type ReviewView, reviewedDiffPlace, reviewOf, waitingReviews } from '../../views/review/reviews.ts'
import { actionContext } from '../action-context.ts'
import type { Call, Command } from '../command.ts'
import { paged } from '../follow/page.ts'
import { showDiff } from '../follow/show-diff.ts'
import { textFrom } from '../letter.ts'
import { painted } from '../render/painted.ts'
import { receiptLines } from '../render/receipt/receipt.ts'
import { decisionText, programLines, waitingLines } from '../render/review.ts'
import { converse } from './review-prompt.ts'

export const review: Command = {
  name: 'review',
  summary: 'tasks whose work waits for a person: look, accept, or send back with a note',
  usage: '[<id>] [--diff] [--accept | --reject NOTE] [--json]',
  about: `Without an id: what waits for a review, oldest first. With one: the receipt of its last attempt, and on a terminal the
choice to read the diff, open a shell where it worked, accept the work, or send it back with a note.

An accepted task is closed. A rejected one is open again: its next attempt continues the session and has the note in its
prompt, with a fresh set of attempts. If work has passed and hooks, filters or configuration of its repository were
changed while agents ran, they are shown; --accept lets them run, and the work lands. The diff is shown in your pager (GIT_PAGER, core.pager of your own git configuration,
PAGER, less). --reject - reads the note from standard input.`,
  examples: [
    'fleet review',
    'fleet review fleet-a1b',
    'fleet review a1b --diff',
    'fleet review a1b --accept',
    'fleet review a1b --reject "keep the old name as an alias"',
  ],
  flags: [
    { name: 'accept', kind: 'switch', help: 'accept the work' },
    { name: 'reject', kind: 'text', value: 'note', help: 'send the work back; the agent continues with the note' },
    { name: 'note', kind: 'text', value: 'text', help: 'with --accept: a remark for the record' },
    { name: 'diff', kind: 'switch', help: 'only the diff' },
    {
      name: 'json',
      kind: 'switch',
      help: 'one JSON document: what waits; the receipt and decisions; the diff; the decision',
    },
  ],
  async run(call) {
    const { flags, args } = call
    const [id, more] = args
    const wanted = ['accept', 'diff'].filter((name) => flags.on(name))
    if (flags.text('reject') !== undefined) wanted.push('reject')
    if (more !== undefined || wanted.length > 1) {
      throw new AppError(
        'usage',
        more === undefined ? `--${wanted.join(' and --')} exclude each other` : 'fleet review takes one task id',
        {
          hint: 'fleet review <id> [--diff | --accept | --reject "<note>"]',
        },
      )
    }
    if (flags.text('note') !== undefined && wanted[0] !== 'accept') {
      throw new AppError('usage', '--note is for --accept', { hint: '--reject takes its note itself' })
    }
    if (id === undefined) {
      if (wanted.length > 0) throw new AppError('usage', `fleet review --${wanted[0]} takes a task id`)
      return await list(call)
    }
    if (wanted[0] === 'diff') return await diffOf(call, await reviewOf(call.home, id))
    if (wanted[0] === 'accept')
      return await decide(call, { task: id, decision: 'accepted', note: flags.text('note') ?? '' })
    if (wanted[0] === 'reject') {
      const given = flags.text('reject') ?? ''
      return await decide(call, { task: id, decision: 'rejected', note: textFrom([given]) })
    }
    return await show(call, id)
  },
}

async function list(call: Call): Promise<void> {
  const redact = await redaction(call.home, call.env)
  const waiting = mapStrings(await waitingReviews(call.home), redact)
  if (call.flags.on('json')) return call.answer(waitingReviewsJson(waiting))
  if (waiting.length === 0) return call.print('Nothing waits for a review.')
  const now = Date.now()
  call.print(waiting.map((each) => waitingLines(each, now).join('\n')).join('\n\n'))
}

/** The choice that a person has stands below the receipt. */
const BELOW = 2

async function show(call: Call, id: string): Promise<void> {
  const view = await reviewOf(call.home, id)
  // For people; paths and ids stay as they are.
  const clean = mapStrings(view, await redaction(call.home, call.env))
  if (call.flags.on('json')) return call.answer(reviewJson(clean))
  const screen = terminal(call.env)
  const now = Date.now()
  const { task, standing } = view
  if (clean.receipt !== undefined) {
    const below = clean.reviews.length + BELOW
    const lines = receiptLines(
      { receipt: clean.receipt, title: clean.task.title, now },
      { ...(screen ?? { columns: 120 }), below },
    )
    call.show(painted(lines, screen ?? { colour: false }))
  }
  if (clean.standing.kind === 'programs') call.print(programLines(clean.standing.why, clean.programs).join('\n'))
  for (const each of clean.reviews) call.print(decisionText(each, now))
  if (standing.kind === 'not') throw new AppError('conflict', `${task.id} ${standing.why}`, { hint: standing.hint })
  if (!isTyped() || !terminals().out) {
    return call.print(`\nfleet review ${task.id} --diff | --accept | --reject "<note>"`)
  }
  const { run } = standing
  await converse(call, run, {
    diff: () => diffOf(call, view),
    decide: (decision, note) => decide(call, { task: task.id, decision, note, run: run.id }),
  })
}

async function diffOf(call: Call, view: ReviewView): Promise<void> {
  const place = await reviewedDiffPlace(call.home, view)
  if (call.flags.on('json')) return await showDiff(call, place)
  await paged(call, view.run?.cwd ?? '/', (show) => showDiff(call, place, show))
}

async function decide(call: Call, wish: ReviewWish): Promise<void> {
  const { review, becomes } = await reviewTask(actionContext(call), wish)
  if (call.flags.on('json'))
    return call.answer({ schema_version: 1, task: review.task, ...decisionJson(review), becomes })
  call.print(DECIDED[becomes](review.task))
}

const DECIDED: Readonly<Record<Reviewed['becomes'], (task: string) => string>> = {
  closed: (task) => `Accepted. ${task} is closed.`,
  landing: (task) => `Accepted. ${task} is closed when its work has landed (fleet land says how it stands).`,
  open: (task) => `Sent back. ${task} is open again; its next attempt has the note.`,
}
