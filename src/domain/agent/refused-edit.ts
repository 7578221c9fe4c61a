/**
 * What stands in the place of task.json after a run, where fleet did not write it: something to read, or no file at all.
 * It could be the agent's, who would choose what it is judged by, so it is refused, whoever wrote it.
 */
export type RefusedEdit = 'file' | 'no-file'

/** For the receipt and the log. */
export function refusedEditText(id: string, edit: RefusedEdit): string {
  const kept = edit === 'file' ? '; it is kept as task.json.refused' : ''
  return `task.json was changed while an agent was at work, so it was not taken in${kept}; ${settingsHint(id)}`
}

/** What a person does instead, at any time. */
export function settingsHint(id: string): string {
  return `fleet bd update ${id} --coder ... --model ... --cwd ... changes settings at any time`
}
