import type { CurrentRun } from '../../../domain/agent/current-run.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { NO_ID, update } from '../commands/update.ts'
import { GLOBAL_FLAGS } from '../global-flags.ts'
import { named } from '../parts/feedback.ts'
import { leave, onlyOwn } from './claim.ts'
import { notForAgents } from './refusal.ts'

/** An agent may add notes to its own task; a status becomes a letter to the supervisor. The rest is for people. */
const ALLOWED = new Set(['status', 'claim', 'notes', 'append-notes', ...GLOBAL_FLAGS.map((flag) => flag.name)])

export async function updateInside(call: BdCall, own: CurrentRun): Promise<void> {
  if (call.args.length === 0) throw new BdFailure(NO_ID)
  await onlyOwn(call, own, call.args, 'updated')
  const beyond = update.flags.find((flag) => call.flags.has(flag.name) && !ALLOWED.has(flag.name))
  if (beyond !== undefined)
    throw notForAgents(`--${beyond.name} is not for agents: of its task an agent writes only notes`)
  const notes = [call.flags.text('notes') ?? '', call.flags.text('append-notes') ?? ''].join('\n').trim()
  switch (call.flags.text('status')) {
    case 'closed':
      return leave(call, own, { kind: 'done', summary: notes })
    case 'blocked': {
      const text = notes.replace(/^QUESTION:\s*/i, '')
      if (text === '') throw notForAgents('there is no question', 'say what you need: fleet ask "<question>"')
      return leave(call, own, { kind: 'ask', text, options: [] })
    }
    case undefined:
    case 'in_progress':
      return notes === '' ? alreadyYours(call, own) : await addNotes(call, own, notes)
    default:
      throw notForAgents(
        `${own.task} stays in your hands while you run: an agent sets no status`,
        'fleet done "<summary>" when it is done, fleet ask "<question>" when you are stuck, or just stop',
      )
  }
}

function alreadyYours(call: BdCall, own: CurrentRun): void {
  if (call.json) call.answer({ id: own.task, recorded: 'nothing' })
  else call.print(`${own.task} is yours already: the supervisor holds it for you while you run`)
}

/** Appended even with --notes: an agent must not replace what people wrote. */
async function addNotes(call: BdCall, own: CurrentRun, notes: string): Promise<void> {
  const task = await call.store.update(own.task, { appendNotes: notes }, call.actor)
  if (task === undefined) throw new BdFailure(`issue ${own.task} not found`)
  if (call.json) return call.answer([issueJson(task)])
  if (!call.quiet) call.print(`✓ Added to the notes of ${named(task.id, task.title)}`)
}
