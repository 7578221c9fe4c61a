import { isAbsolute } from 'node:path'
import { openHomeStore } from '../app.ts'
import { CONFIG_FILE, fileAt } from '../config/in-force.ts'
import { loadConfig } from '../config/load.ts'
import { AppError } from '../errors.ts'
import { linkTarget } from '../platform/files/files.ts'
import type { Home } from '../platform/files/home.ts'
import { putBack } from '../platform/files/kept-file.ts'
import { touchWake } from '../platform/files/wake.ts'
import { changesIn, type HomeChange } from '../views/home-changes.ts'

export interface Decision {
  readonly home: Home
  /** Files of the home, such as runtime.toml or coders/mine.mjs; none: all that wait. */
  readonly files: readonly string[]
}

/** Takes in the changes of these files: exactly what is returned, also if a file has changed again since. */
export async function acceptChanges({ home, files }: Decision): Promise<readonly HomeChange[]> {
  home.requireWritable()
  await using store = await openHomeStore(home)
  const { record } = store
  const changes = wanted(changesIn(home, record), files)
  for (const each of changes) await refuseUnusable(home, each)
  record.together(() => {
    for (const { path, after } of changes) {
      if ('text' in after) record.accept(path, after.text)
      record.decide(path, 'accepted')
    }
  })
  touchWake(home.wake)
  return changes
}

async function refuseUnusable(home: Home, { path, after }: HomeChange): Promise<void> {
  const hint = 'nothing was accepted; fix the file, or fleet config revert puts the old one back'
  if ('problem' in after) throw new AppError('conflict', `${fileAt(home, path)} ${after.problem}`, { hint })
  if (path !== CONFIG_FILE) return
  try {
    await loadConfig(home.config, { text: after.text ?? undefined })
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.code, error.message, { hint, cause: error })
    throw error
  }
}

export interface Reverted extends HomeChange {
  /** Where the changed file is now; undefined: there was none. */
  readonly keptAs: string | undefined
}

/** Puts the files back as a person left them, and keeps the changed ones aside. */
export async function revertChanges({ home, files }: Decision): Promise<readonly Reverted[]> {
  home.requireWritable()
  await using store = await openHomeStore(home)
  const { record } = store
  return wanted(changesIn(home, record), files).map((each) =>
    record.together(() => {
      // A person's configuration of git may be a link to where it is kept.
      const file = isAbsolute(each.path) ? linkTarget(each.path) : fileAt(home, each.path)
      const keptAs = putBack(file, each.before, `${file}.refused`)
      record.decide(each.path, 'reverted')
      return { ...each, keptAs }
    }),
  )
}

function wanted(changes: readonly HomeChange[], files: readonly string[]): readonly HomeChange[] {
  const other = files.find((file) => changes.every(({ path }) => path !== file))
  if (other !== undefined) {
    const known = changes.map(({ path }) => path).join(', ')
    throw new AppError('not-found', `${other} does not wait for a decision`, {
      hint: known === '' ? 'nothing waits for one' : `these do: ${known}`,
    })
  }
  return files.length === 0 ? changes : changes.filter(({ path }) => files.includes(path))
}
