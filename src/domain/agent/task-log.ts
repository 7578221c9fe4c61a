import type { OutcomeCode } from '../run/outcome.ts'
import type { InboxItem } from './inbox.ts'

/** A line of `tasks/<id>/log.jsonl`. The event names are a contract with programs. */
export type TaskLogEntry =
  | {
      readonly event: 'started'
      readonly coder: string
      readonly model: string | null
      readonly cwd: string
      readonly resumes: string | null
      readonly pid: number | undefined
    }
  | { readonly event: 'edit-refused'; readonly text: string }
  /** A person's message, which waits for its next tool. */
  | { readonly event: 'told'; readonly messages: readonly number[]; readonly by: string; readonly text: string }
  /** A letter of the agent. */
  | (InboxItem & { readonly event: InboxItem['kind'] })
  /** In place of all further letters of an attempt. */
  | { readonly event: 'letters-left-out'; readonly text: string }
  | { readonly event: 'ended'; readonly outcome: OutcomeCode | undefined; readonly why: string | undefined }

export type TaskLogEvent = TaskLogEntry['event']

export function taskLogLine(
  { id, attempt, at }: { readonly id: string; readonly attempt: number; readonly at: number },
  { event, ...fields }: TaskLogEntry,
): string {
  return JSON.stringify({ v: 1, ts: new Date(at).toISOString(), run: id, attempt, event, ...fields })
}
