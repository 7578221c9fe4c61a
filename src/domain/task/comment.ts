import { rfc3339 } from './time.ts'

export interface Comment {
  id: string
  issue_id: string
  author: string
  text: string
  created_at: string
}

/** Two comments never share a second, as in bd: an export keeps only seconds, and their order must survive it. */
export function commentTime(last: string | null, at: string): string {
  return last === null || last < at ? at : rfc3339(Date.parse(last) + 1000)
}
