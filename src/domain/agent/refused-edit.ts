/**
 * A task.json that changed during a run: a readable file, or something that is not a file. Fleet refuses the change no
 * matter who made it, because the agent could have made it to choose how its own work is judged.
 */
export type RefusedEdit = 'file' | 'no-file'

/** The sentence for the receipt and the log. */
export function refusedEditText(id: string, edit: RefusedEdit): string {
  const kept = edit === 'file' ? '; it is kept as task.json.refused' : ''
  return `task.json was changed while an agent was at work, so it was not applied${kept}; ${settingsHint(id)}`
}

/** The command that changes settings safely. */
export function settingsHint(id: string): string {
  return `fleet bd update ${id} --coder ... --model ... --cwd ... changes settings at any time`
}
