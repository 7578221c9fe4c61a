import { plainLine } from '../../domain/text/plain.ts'
import { pagedText, pagerOf } from '../../platform/terminal/pager.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import type { Call } from '../command.ts'
import type { Painted } from '../render/painted.ts'

/** Shows what `write` prints in the user's pager; without a terminal or a pager it is printed. `project`: its directory. */
export async function paged(
  call: Call,
  project: string,
  write: (show: (text: Painted) => void) => Promise<void>,
): Promise<void> {
  const pager = terminal(call.env) === undefined ? undefined : await pagerOf(call.env, project)
  if (pager === undefined) return await write(call.show)
  using text = pagedText(call.env)
  await write(({ painted }) => text.write(painted))
  if (await text.show(pager)) return
  call.warn(`the pager ${plainLine(pager)} could not be started`)
  await write(call.show)
}
