import type { Transcript } from '../transcript.ts'

export function transcriptJson({ task, run, turns }: Transcript): Record<string, unknown> {
  const { attempt, coder, model } = run
  return { schema_version: 1, task, attempt, run: run.id, coder, model, turns }
}
