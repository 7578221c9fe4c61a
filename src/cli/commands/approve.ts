import { type Approved, approveTask } from '../../actions/approve.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { mapStrings } from '../../domain/text/redact.ts'
import { AppError } from '../../errors.ts'
import { waitingApprovals } from '../../views/approvals.ts'
import { waitingApprovalsJson } from '../../views/json/approvals.ts'
import { decisionJson } from '../../views/json/review.ts'
import { redaction } from '../../views/redaction.ts'
import { actionContext } from '../action-context.ts'
import type { Call, Command } from '../command.ts'
import { outsideLines, waitingApprovalLines } from '../render/approvals.ts'

export const approve: Command = {
  name: 'approve',
  summary: 'let work through that left the scope of its task, without another attempt',
  usage: '[<id>] [--run ID] [--all] [--note TEXT] [--json]',
  about: `Without an id: the tasks that changed what their scope does not cover, and what that is. With one: the same work goes
on as it would have without a scope. Its checks ran already, so it is closed, landed, reviewed, or sent back to its agent for
another reason. The decision is on the record. To send it back because of its scope: fleet retry <id>.`,
  examples: ['fleet approve', 'fleet approve fleet-a1b', 'fleet approve a1b --note "the lock file belongs to it"'],
  flags: [
    { name: 'run', kind: 'text', value: 'id', help: 'only if what waits is of this run, as --json names it' },
    { name: 'all', kind: 'switch', help: 'also where its receipt does not name every change (above 1000)' },
    { name: 'note', kind: 'text', value: 'text', help: 'the reason, for the record' },
    { name: 'json', kind: 'switch', help: 'one JSON document: what waits, or the decision' },
  ],
  async run(call) {
    const { flags, args } = call
    const [id, more] = args
    if (more !== undefined) {
      throw new AppError('usage', 'fleet approve takes one task id', { hint: 'fleet approve <id> [--note "<why>"]' })
    }
    if (id === undefined) {
      const alone = ['note', 'run', 'all'].find((name) => flags.has(name))
      if (alone !== undefined) throw new AppError('usage', `fleet approve --${alone} takes a task id`)
      return await list(call)
    }
    const wish = { task: id, note: flags.text('note') ?? '', run: flags.text('run'), all: flags.on('all') }
    const approved = await approveTask(actionContext(call), wish)
    const { review, becomes, outcome } = approved
    if (flags.on('json')) {
      const decided = { task: review.task, ...decisionJson(review), becomes, outcome: outcome.code }
      return call.answer({ schema_version: 1, ...decided })
    }
    const { outside, outsideCount } = mapStrings(approved, await redaction(call.home, call.env))
    call.print([DECIDED[becomes](approved), ...outsideLines(outside, outsideCount)].join('\n'))
  },
}

async function list(call: Call): Promise<void> {
  const waiting = mapStrings(await waitingApprovals(call.home), await redaction(call.home, call.env))
  if (call.flags.on('json')) return call.answer(waitingApprovalsJson(waiting))
  if (waiting.length === 0) return call.print('Nothing waits for an approval.')
  call.print(waiting.map((each) => waitingApprovalLines(each).join('\n')).join('\n\n'))
}

const DECIDED: Readonly<Record<Approved['becomes'], (approved: Approved) => string>> = {
  closed: ({ review: { task } }) => `Approved. ${task} is closed.`,
  landing: ({ review: { task } }) =>
    `Approved. ${task} is closed when its work has landed (fleet land says how it stands).`,
  review: ({ review: { task }, outcome }) => `Approved. ${task} waits for a review: ${plainLine(outcome.text)}`,
  open: ({ review: { task }, outcome }) => `Approved. ${task} goes on, because its attempt ended as ${outcome.code}.`,
  blocked: ({ review: { task }, outcome }) => `Approved. ${task} stays blocked: ${plainLine(outcome.text)}`,
}
