import { modelText } from '../domain/fleet/refused-model.ts'
import type { Waiting } from '../domain/fleet/waiting.ts'
import { moment, upcoming } from '../domain/text/moment.ts'
import { plainLine } from '../domain/text/plain.ts'
import { pluralize } from '../domain/text/pluralize.ts'

/** One sentence for people; the JSON document of a task contains it too. */
export function whyNotRunning(waiting: Waiting, now: number): string {
  switch (waiting.kind) {
    case 'closed':
      return 'it is closed'
    case 'claimed':
      return `claimed by ${plainLine(waiting.by) || 'nobody named'}${waiting.since === null ? '' : ` since ${waiting.since}`}`
    case 'elsewhere':
      return `it runs on another machine, ${plainLine(waiting.machine)}`
    case 'question':
      return 'its agent asked a question that nobody has answered'
    case 'status': {
      const label = waiting.label === undefined ? '' : ` (${waiting.label})`
      return `its status is ${plainLine(waiting.status)}${label}${waiting.reason === undefined ? '' : `: ${plainLine(waiting.reason)}`}`
    }
    case 'deferred':
      return waiting.until === undefined ? 'it is deferred, or a parent of it is' : `deferred until ${waiting.until}`
    case 'blocked':
      return `blocked by ${waiting.by.join(', ')}`
    case 'no-work':
      return `an issue of type ${plainLine(waiting.type)} is not work to start; its children are`
    case 'assigned':
      return `assigned to ${plainLine(waiting.to)}, who has not started it`
    case 'machine': {
      const seen =
        waiting.seen === null ? 'which was never online' : `which was last seen at ${moment(waiting.seen, now)}`
      return `it waits for machine ${plainLine(waiting.on)}, ${seen} (fleet hosts)`
    }
    case 'directory':
      return `${plainLine(waiting.cwd)} is not on this machine, and no other is there: see [hosts] paths and clone in runtime.toml`
    case 'no-supervisor':
      return 'no supervisor is running'
    case 'paused':
      return `claiming was paused by ${plainLine(waiting.by)} at ${moment(waiting.at, now)} (fleet resume)`
    case 'lacks':
      return `this machine lacks something: ${plainLine(waiting.reason)}`
    case 'lane': {
      const resumes = waiting.until === null ? '' : `, resumes ${upcoming(waiting.until, now)}`
      const reason = waiting.reason === '' ? '' : `: ${plainLine(waiting.reason)}`
      return `its lane ${plainLine(waiting.lane)} is ${waiting.state}${waiting.state === 'down' ? '' : resumes}${reason}`
    }
    case 'cap':
      return `its lane ${plainLine(waiting.lane)} takes at most ${waiting.cap} agents at once for now, and has ${waiting.running}; each that gets an answer makes room for one more${because(waiting.reason)}`
    case 'trial':
      return `its lane ${plainLine(waiting.lane)} is tried with one agent first${because(waiting.reason)}`
    case 'model':
      return `${plainLine(waiting.lane)} does not accept ${plainLine(modelText(waiting.model))}: ${plainLine(waiting.reason)} (choose another with fleet bd update --model, or try it again with fleet resume)`
    case 'unreviewed':
      return `${pluralize(waiting.waiting, 'task')} of ${plainLine(waiting.project)} ${waiting.waiting === 1 ? 'waits' : 'wait'} for a review, and max_unreviewed is ${waiting.most} (fleet review)`
    case 'lock': {
      const where = waiting.machine === undefined ? '' : `, which runs on ${plainLine(waiting.machine)}`
      return `its lock ${plainLine(waiting.lock)} is held by ${plainLine(waiting.by)}${where}`
    }
    case 'project':
      return `${plainLine(waiting.project)} takes at most ${pluralize(waiting.most, 'agent')} at once, and has ${waiting.running} (projects.*.max_concurrent)`
    case 'sandbox':
      return `it may run in a sandbox only, and none works here: ${plainLine(waiting.reason)} (fleet doctor)`
    case 'leaving':
      return 'the supervisor ends when its agents do, and starts nothing more (fleet run status)'
    case 'later':
      return `until ${upcoming(waiting.until, now)}: ${plainLine(waiting.reason)}`
    case 'slots':
      return `all slots are taken: ${waiting.running} of ${waiting.most} agents are at work`
    case 'next':
      return 'it waits for its turn'
  }
}

/** Why a lane is not as wide as it could be. */
function because(reason: string): string {
  return reason === '' ? '' : ` (because of: ${plainLine(reason)})`
}
