import type { DoneOnHosts } from '../actions/claiming-on-hosts.ts'
import { moment } from '../domain/text/moment.ts'
import { AppError, EXIT } from '../errors.ts'
import type { Call } from './command.ts'
import type { Flag } from './flags.ts'
import { throwFirst } from './steered.ts'

export const HOST_FLAGS: readonly Flag[] = [
  { name: 'host', kind: 'text', value: 'name', help: 'do it on the machines of this name or label' },
  { name: 'all-hosts', kind: 'switch', help: 'do it on every machine that shares the queue' },
]

/** Whether the flags mean other machines. A task excludes them: fleet asks the machine that runs it. */
export function meansHosts({ flags, args }: Pick<Call, 'flags' | 'args'>): boolean {
  const named = flags.text('host') !== undefined
  if (!named && !flags.on('all-hosts')) return false
  if (named && flags.on('all-hosts')) throw new AppError('usage', '--host and --all-hosts exclude each other')
  if (args.length > 0) {
    throw new AppError('usage', '--host and --all-hosts take no task id: fleet finds the machine of a task by itself', {
      hint: 'leave out --host and --all-hosts',
    })
  }
  return true
}

/** Prints what each machine did, this one by `here`; exit 6 if one of them was away. */
export function printOnHosts<T>(call: Call, done: DoneOnHosts<T>, here: (result: T) => void): number {
  if (done.here !== undefined) here(done.here)
  for (const { name, seen } of done.away) {
    call.warn(`fleet: ${name} was last heard of at ${moment(seen, Date.now())}; it was not asked`)
  }
  for (const { machine, answer } of done.answers) call.print(`${machine}: ${answer}`)
  throwFirst(call, done.failed)
  return done.away.length > 0 ? EXIT['not-running'] : 0
}
