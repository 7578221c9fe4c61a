import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Script } from './harness.ts'

const FOLDER = join(import.meta.dirname, 'scripts')

export interface RecordedScript extends Script {
  /** What bd printed for it, as bd-prints.test.ts wrote it down. */
  readonly recording: string
  /** What fleet prints at the steps where it differs. */
  readonly ownRecording: string
}

const GENERATED_TOPIC = 'generated'

/** Every script of scripts/, by the file it stands in. */
export const SCRIPTS: readonly { readonly topic: string; readonly scripts: readonly RecordedScript[] }[] =
  await Promise.all(
    readdirSync(FOLDER)
      .sort()
      .map(async (file) => {
        const topic = basename(file, '.ts')
        const { scripts } = (await import(join(FOLDER, file))) as { scripts: readonly Script[] }
        const recorded = (folder: string, { name }: Script) =>
          join(import.meta.dirname, folder, topic, `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`)
        return {
          topic,
          scripts: scripts.map((script) => ({
            ...script,
            recording: recorded('recorded', script),
            ownRecording: recorded('recorded-fleet', script),
          })),
        }
      }),
  )

/** Those that somebody wrote, each run as a user runs it. */
export const WRITTEN = SCRIPTS.filter(({ topic }) => topic !== GENERATED_TOPIC)

export const GENERATED = SCRIPTS.flatMap(({ topic, scripts }) => (topic === GENERATED_TOPIC ? scripts : []))
