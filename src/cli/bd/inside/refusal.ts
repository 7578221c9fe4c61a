import { BdFailure } from '../command.ts'

/** What an agent may not do inside its run, and what it does instead. */
export function notForAgents(message: string, hint?: string): BdFailure {
  return new BdFailure(message, {
    hint: hint ?? 'fleet bd comment <id> "<text>" tells people about a task; fleet ask "<question>" asks them',
  })
}
