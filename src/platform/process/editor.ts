import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { readText, writeFileAtomic } from '../files/files.ts'
import { discardFolder, temporaryFolder } from '../files/temporary-folder.ts'
import { forward } from './forward.ts'
import { findProgram } from './program.ts'

const USUAL = ['vim', 'vi', 'nano', 'emacs']

interface Edited {
  readonly text: string
  /** Where the text is, for a caller that fails to save it. */
  readonly path: string
  /** Call when the text is safe. */
  discard(): void
}

/** Lets the user change a text in $EDITOR, in $VISUAL, or in one of the usual editors. */
export async function editText(
  text: string,
  name: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Edited> {
  const [program = '', ...argv] = editorOf(env)
    .split(/\s+/)
    .filter((word) => word !== '')
  const folder = temporaryFolder('fleet-edit-')
  const path = join(folder, name)
  writeFileAtomic(path, text)
  const discard = (): void => discardFolder(folder)
  const { code } = await forward(program, [...argv, path], { cwd, env }).catch((error: Error) => {
    discard()
    throw new AppError('failed', `running editor: ${error.message}`, { hint: 'set $EDITOR to a program that exists' })
  })
  if (code !== 0) {
    throw new AppError('failed', `running editor: exit status ${code}`, {
      hint: `nothing was changed; your text is in ${path}`,
    })
  }
  return { text: readText(path) ?? '', path, discard }
}

function editorOf(env: NodeJS.ProcessEnv): string {
  const chosen =
    (env['EDITOR'] ?? '').trim() ||
    (env['VISUAL'] ?? '').trim() ||
    USUAL.find((name) => findProgram(name, env) !== undefined)
  if (chosen !== undefined) return chosen
  throw new AppError('failed', 'no editor found. Set $EDITOR or $VISUAL environment variable')
}
