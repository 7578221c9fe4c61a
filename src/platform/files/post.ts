import { dirname, join } from 'node:path'
import { LETTER_LIMIT, type Letter } from '../../domain/agent/inbox.ts'
import { letterText } from '../../domain/agent/letter-proof.ts'
import { AppError } from '../../errors.ts'
import { chanceHex } from '../runtime/chance.ts'
import { writeFileAtomic } from './files.ts'
import { privateDirectory } from './home.ts'

/** `secret`: of the run that signs it. Returns the name of its file. */
export function post(taskDir: string, letter: Letter, { secret }: { secret?: string | undefined } = {}): string {
  const text = letterText(letter, secret)
  const size = Buffer.byteLength(text)
  if (size > LETTER_LIMIT) {
    throw new AppError('usage', `the text is too long: ${size} bytes of at most ${LETTER_LIMIT}`, {
      hint: 'put it into a file in $FLEET_ARTIFACT_DIR and name the file',
    })
  }
  const inbox = `${taskDir}/inbox`
  privateDirectory(inbox, { below: dirname(dirname(taskDir)) })
  const name = `${letter.at}-${chanceHex(4)}.json`
  writeFileAtomic(join(inbox, name), text)
  return name
}
