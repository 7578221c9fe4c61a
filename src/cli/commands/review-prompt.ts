import type { ReviewWish } from '../../actions/review.ts'
import type { Run } from '../../domain/run/run.ts'
import { AppError } from '../../errors.ts'
import { forward } from '../../platform/process/forward.ts'
import { askLine } from '../../platform/terminal/line.ts'
import type { Call } from '../command.ts'

interface Choices {
  diff(): Promise<void>
  decide(decision: ReviewWish['decision'], note: string): Promise<void>
}

const MENU = '[d]iff  [a]ccept  [r]eject  [s]hell  [q]uit: '

/** Asks the person what to do, until they have decided or leave it as it is. */
export async function converse(call: Call, run: Run, { diff, decide }: Choices): Promise<void> {
  for (;;) {
    const word = (await askLine(MENU))?.trim().toLowerCase()
    switch (word) {
      case 'd':
      case 'diff':
        await toldTrouble(call, diff)
        break
      case 's':
      case 'shell':
        await toldTrouble(call, () => shellIn(call, run.cwd))
        break
      case 'a':
      case 'accept':
        return await decide('accepted', '')
      case 'r':
      case 'reject': {
        const note = (await askLine('What has to change? '))?.trim() ?? ''
        if (note !== '') return await decide('rejected', note)
        call.print('A rejection needs a note; nothing was decided.')
        break
      }
      case undefined:
      case 'q':
      case 'quit':
        return call.print('Nothing was decided.')
      default:
        break
    }
  }
}

/** A diff that cannot be made, or a directory that is gone, is no reason to leave. */
async function toldTrouble({ warn }: Call, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    warn(`fleet: ${error.message}${error.hint === undefined ? '' : `\n  ${error.hint}`}`)
  }
}

async function shellIn({ env, print, warn }: Call, cwd: string): Promise<void> {
  const shell = env['SHELL'] || '/bin/sh'
  print(`${shell} in ${cwd}; exit returns to the review`)
  try {
    await forward(shell, [], { cwd, env })
  } catch (error) {
    warn(`fleet: ${shell} could not be started in ${cwd}: ${(error as Error).message}`)
  }
}
