import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../scripts/cache.mjs'
import { bdBinary } from './bd.ts'
import type { RecordedScript } from './scripts.ts'

/**
 * Recordings that were already compared with this bd: the same program, script, harness and recording give the same result
 * again, and running bd takes minutes. Kept beside the built bd, so that a new machine compares again.
 */
const FOLDER = cacheFolder('bd-compared')

type Recorded = Pick<RecordedScript, 'recording'>

export function wasCompared(script: Recorded): boolean {
  return existsSync(markOf(script))
}

export function noteCompared(script: Recorded): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(markOf(script), '')
}

/** Independent of where the working tree is. */
function markOf(script: Recorded): string {
  const text = JSON.stringify(script).replaceAll(import.meta.dirname, '')
  const hash = createHash('sha256').update(surroundings()).update(text)
  if (existsSync(script.recording)) hash.update(readFileSync(script.recording))
  return join(FOLDER, hash.digest('hex'))
}

let known: string | undefined

const DECIDING = ['harness.ts', 'moments.ts']

/** Everything else that influences a recording. */
function surroundings(): string {
  if (known !== undefined) return known
  // Its bytes, not its time or path: a cache that was restored has others.
  const hash = createHash('sha256').update(readFileSync(bdBinary)).update(process.version)
  for (const name of DECIDING) hash.update(readFileSync(join(import.meta.dirname, name)))
  known = hash.digest('hex')
  return known
}
