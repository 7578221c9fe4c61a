import { linkTarget, writeFileAtomic } from '../platform/files/files.ts'
import { entryAt } from '../platform/files/folder.ts'
import { exclusively } from '../platform/sqlite/exclusively.ts'
import { fileCodersBeside, parseToml } from './load.ts'
import { patched } from './patch.ts'
import { type Converted, convertPythonSettings } from './python-fleet.ts'
import { readConfig } from './read.ts'

export interface ConvertedFile extends Omit<Converted, 'changes'> {
  /** Where the file is as it was; undefined: nothing had to change. */
  readonly backup: string | undefined
}

/** Rewrites the Python fleet's runtime.toml for this fleet. Comments stay, and settings without a successor become some. */
export async function convertConfig(home: { config: string; lock: string }): Promise<ConvertedFile> {
  const path = home.config
  return await exclusively(home.lock, async () => {
    const text = readConfig(path)
    if (text === undefined) return { kept: [], taken: [], dropped: [], refused: [], backup: undefined }
    const { changes, ...told } = convertPythonSettings(await parseToml(text, path), fileCodersBeside(path))
    let next = text
    for (const change of changes) next = await patched(next, change)
    if (next === text) return { ...told, backup: undefined }
    const backup = `${path}.python-fleet`
    // A second run must not replace the original by what the first one wrote.
    if (entryAt(backup) === undefined) writeFileAtomic(backup, text)
    writeFileAtomic(linkTarget(path), next)
    return { ...told, backup }
  })
}
