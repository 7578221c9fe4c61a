import type { Usage } from '../../../src/domain/run/event.ts'
import type { ToolCall } from '../model/turns.ts'

/** What differs from one real CLI to the next; all else of the scenarios is the same for all of them. */
export interface RealCoder {
  readonly name: string
  /** The variable that holds its account's key. It stands around the supervisor, and `env_pass` lets it through. */
  readonly key: string
  /** `[coders.<name>].env`. */
  env(place: CoderPlace): Readonly<Record<string, string>>
  /** What stands in the user's home before it is started for the first time, by path. */
  files(place: CoderPlace): Readonly<Record<string, string>>
  /** Its command line without fleet. */
  alone(prompt: string): readonly string[]
  shell(command: string): ToolCall
  /** By the CLI's own tool for it. */
  write(path: string, text: string): ToolCall
  /** In tokens: the window that fleet takes it to have. */
  readonly window: number
  /** Of what a request used, figures that it never tells. */
  readonly untold: readonly (keyof Usage)[]
  /** What it says of the time at which a usage limit lifts. */
  readonly resets: 'told' | 'untold' | 'midnight'
  /** What it waits for by itself, for longer than anybody wants, with no word but on stderr. */
  readonly silentIn: readonly ('usage-limit' | 'overload')[]
  /** How many of its scenarios two processors can bear at once, beside those of the others. */
  readonly atOnce: number
  /** Hosts that it tries to reach although nobody asked it to; it reaches none. */
  readonly reachesFor: readonly string[]
}

export interface CoderPlace {
  /** Where the model is. */
  readonly url: string
  /** The user's, a folder of this test. */
  readonly home: string
}
