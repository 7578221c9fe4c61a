import { join } from 'node:path'
import { isPlainFile } from '../../platform/files/folder.ts'
import { type LookingGit, readGit } from '../../platform/git/look.ts'

/** For one call of git. A diff may be large, but somebody has to read it. */
export const DIFF_LIMITS = { timeoutMs: 120_000, maxBytes: 1 << 30 }
export const DIFF = [
  ...['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty'],
]

export async function namesOf(git: LookingGit, argv: readonly string[]): Promise<string[]> {
  return (await textOf(git, argv)).split('\0').filter((name) => name !== '')
}

export async function textOf(git: LookingGit, argv: readonly string[]): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += decoder.decode(bytes, { stream: true })
  }
  await readGit(git, argv, { take })
  return text
}

interface NewFile {
  readonly root: string
  readonly name: string
  take(bytes: Uint8Array): void
  /** Of the diff. */
  readonly form?: readonly string[]
}

/** Returns false if the file is gone: an agent may be at work there. */
export async function readNewFile(git: LookingGit, { root, name, take, form = DIFF }: NewFile): Promise<boolean> {
  let any = false
  const taken = (bytes: Uint8Array): void => {
    any = true
    take(bytes)
  }
  // Git would read its stdin.
  const path = name === '-' ? './-' : name
  try {
    // It exits with 1 because the files differ, and, without output, because there is no such file.
    await readGit(git, [...form, '--no-index', '--', '/dev/null', path], {
      ...DIFF_LIMITS,
      take: taken,
      accepts: [0, 1],
    })
    return any
  } catch (error) {
    if (isPlainFile(join(root, name))) throw error
    return false
  }
}
