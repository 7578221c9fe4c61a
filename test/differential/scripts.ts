import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Script } from './harness.ts'

const FOLDER = join(import.meta.dirname, 'scripts')

export interface RecordedScript extends Script {
  /** bd's output, recorded by bd-prints.test.ts. */
  readonly recording: string
  /** fleet's output at the steps where it differs. */
  readonly ownRecording: string
}

const GENERATED_TOPIC = 'generated'

/** Every script in scripts/, by its file. */
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

/** The scripts written by hand, each run as a user runs it. */
export const WRITTEN = SCRIPTS.filter(({ topic }) => topic !== GENERATED_TOPIC)

export const GENERATED = SCRIPTS.flatMap(({ topic, scripts }) => (topic === GENERATED_TOPIC ? scripts : []))
