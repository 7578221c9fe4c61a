import type { LiveRun } from './live-run.ts'

/** The model has answered this run: it works, and so do the account and the provider. */
export function hasAnswered({ digest, coder }: LiveRun): boolean {
  if (coder.traits.stream === 'text') return true
  return digest.contextNow !== undefined || digest.toolCalls > 0 || digest.result?.ok === true
}

/** When the model last answered the run. The output of a text coder tells nothing, so its start counts. */
export function answeredAt({ coder, output, record }: LiveRun): number | undefined {
  return coder.traits.stream === 'text' ? record.startedAt : output.answeredAt
}
