import { openQueue } from '../app.ts'
import { effectiveSettings } from '../config/effective.ts'
import { loadConfig } from '../config/load.ts'
import { plainLine } from '../domain/text/plain.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'

/** A word that a shell may complete, and what it stands for. */
export interface Candidate {
  readonly word: string
  readonly about?: string
}

/** A list that is longer helps nobody, and takes time. */
const MOST = 200

/** The ids of tasks that are not closed, newest change first. Empty where they cannot be read: completion never fails. */
export async function taskCandidates(home: Home): Promise<readonly Candidate[]> {
  return await orNothing(async () => {
    await using queue = await openQueue(home, { readOnly: true })
    const found: Candidate[] = []
    for await (const { id, title } of queue.find({ notStatuses: ['closed'], sort: 'updated', limit: MOST })) {
      found.push({ word: id, about: plainLine(title) })
    }
    return found
  })
}

export async function coderCandidates(home: Home): Promise<readonly Candidate[]> {
  return await orNothing(async () => (await loadConfig(home.config)).coderNames.map((word) => ({ word })))
}

/** The keys of runtime.toml. */
export async function keyCandidates(home: Home): Promise<readonly Candidate[]> {
  return await orNothing(async () => effectiveSettings(await loadConfig(home.config)).map(({ key }) => ({ word: key })))
}

async function orNothing(read: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
