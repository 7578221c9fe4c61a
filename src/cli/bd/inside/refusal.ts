import { BdFailure } from '../command.ts'

/** Refuses a command to an agent inside its run; the hint names the alternative. */
export function notForAgents(message: string, hint?: string): BdFailure {
  return new BdFailure(message, {
    hint: hint ?? 'fleet bd comment <id> "<text>" tells people about a task; fleet ask "<question>" asks them',
  })
}
