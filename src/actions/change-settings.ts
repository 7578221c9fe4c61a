import { ownQueue } from '../app.ts'
import { type Edited, editConfig } from '../config/edit.ts'
import type { Home } from '../platform/files/home.ts'

export interface SettingsChange {
  readonly home: Home
  /** Each as `key=value`; an empty value removes the key from the file. */
  readonly settings: readonly string[]
}

/** Changes runtime.toml: all of the settings or none. */
export async function changeSettings({ home, settings }: SettingsChange): Promise<Edited> {
  home.requireWritable()
  return await editConfig(home, settings, { own: ownQueue(home).name })
}
