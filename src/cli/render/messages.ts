import type { Message } from '../../domain/agent/message.ts'
import { moment } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'

/** `delivered 14:02:11, before Bash` */
export function deliveryText(
  { delivery }: Message,
  { now, attemptOf }: { now: number; attemptOf(run: string): number | undefined },
): string {
  if (delivery === null) return 'waiting'
  if (delivery.how === 'prompt') return `in the prompt of attempt ${attemptOf(delivery.run) ?? '?'}`
  const where = delivery.before === null ? 'at the end of its turn' : `before ${plainLine(delivery.before)}`
  return `delivered ${moment(delivery.at, now)}, ${where}`
}
