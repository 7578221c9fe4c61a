import type { Message } from '../../domain/agent/message.ts'
import { rfc3339 } from '../../domain/task/time.ts'

/** A message of a person for an agent. `delivered_at` is null until an agent was told. */
export function messageJson({ id, by, at, text, delivery }: Message): Record<string, unknown> {
  return {
    message: id,
    by,
    at: rfc3339(at),
    text,
    delivered_at: delivery === null ? null : rfc3339(delivery.at),
    how: delivery?.how ?? null,
    before: delivery?.before ?? null,
    run: delivery?.run ?? null,
  }
}
