import { type BdCall, BdFailure } from '../command.ts'
import { readFileText, whole } from './text-input.ts'

/** One reason for all, or one for each id. With `lastIsReason` the last argument may be the reason. */
export function reasonsFrom(
  call: BdCall,
  given: readonly string[],
  lastIsReason: boolean,
): { reasons: string[]; ids: readonly string[] } {
  let reasons = flagReasons(call)
  let ids = given
  const file = call.flags.text('reason-file')
  if (file !== undefined) {
    if (reasons.length > 0) {
      throw new BdFailure('cannot specify both --reason-file and --reason/--resolution/--message/--comment')
    }
    reasons = [fileReason(call, file)]
  }
  if (reasons.length === 0 && lastIsReason && given.length >= 2) {
    reasons = [given.at(-1) ?? '']
    ids = given.slice(0, -1)
  }
  if (reasons.length > 1 && reasons.length !== ids.length) {
    throw new BdFailure(
      `got ${reasons.length} close reasons for ${ids.length} issue IDs; provide exactly one shared reason or one reason per issue`,
    )
  }
  return { reasons: reasons.length === 0 ? ['Closed'] : reasons, ids }
}

function flagReasons({ flags }: BdCall): string[] {
  const reasons = flags.all('reason').filter((reason) => reason !== '')
  if (reasons.length > 0) return reasons
  const other = ['resolution', 'message', 'comment'].map((name) => flags.text(name) ?? '').find((text) => text !== '')
  return other === undefined ? [] : [other]
}

function fileReason(call: BdCall, path: string): string {
  const read = readFileText(call, path)
  const shown = JSON.stringify(path)
  if (read.problem !== undefined) {
    throw new BdFailure(`reading reason file ${shown}: failed to open file: ${read.problem}`)
  }
  if (read.text.trim() === '') throw new BdFailure(`--reason-file ${shown} is empty; close reason is required`)
  return whole(read.text, 'reason')
}
