import { ambiguity } from '../../../domain/task/ambiguous-id.ts'
import { type BdCall, BdFailure } from '../command.ts'

/** Resolves a full id, an id without its prefix, or a unique beginning of an id. */
export async function resolveTask(call: BdCall, text: string): Promise<string> {
  const match = await call.store.resolve(text)
  switch (match.kind) {
    case 'found':
      return match.id
    case 'ambiguous':
      throw new BdFailure(ambiguity(text, match.ids))
    case 'unknown':
      throw new BdFailure(`no issue found matching ${JSON.stringify(text)}`, hintOf(match.near))
  }
}

/** The same, with a message prefix such as `resolving issue ID xyz`. */
export async function resolveSaying(call: BdCall, text: string, before: string): Promise<string> {
  try {
    return await resolveTask(call, text)
  } catch (error) {
    if (!(error instanceof BdFailure)) throw error
    throw new BdFailure(`${before}: ${error.message}`, error.hint === undefined ? {} : { hint: error.hint })
  }
}

export function hintOf(near: readonly string[]): { hint?: string } {
  return near.length === 0 ? {} : { hint: `did you mean ${near.join(' or ')}?` }
}
