import { settingsOf } from './settings.ts'
import type { Metadata } from './task.ts'

/** The names of the locks that a task takes, each once, in the order given. */
export function locksOf(metadata: Metadata): readonly string[] {
  return lockNames(settingsOf(metadata).lock ?? '')
}

/** As they stand in the setting, separated by commas. */
export function lockNames(setting: string): readonly string[] {
  const names = setting.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

export function sameLocks(now: readonly string[], claimed: readonly string[] = []): boolean {
  return now.length === claimed.length && now.every((name) => claimed.includes(name))
}

/** Chooses among tasks, in claim order, those whose locks nobody has. `held` is asked once, and only if a task takes locks. */
export class FreeLocks {
  readonly #held: () => Iterable<string>
  #taken: Set<string> | undefined

  constructor(held: () => Iterable<string>) {
    this.#held = held
  }

  areFree(names: readonly string[]): boolean {
    return names.length === 0 || !names.some((name) => this.#now().has(name))
  }

  take(names: readonly string[]): void {
    for (const name of names) this.#now().add(name)
  }

  #now(): Set<string> {
    this.#taken ??= new Set(this.#held())
    return this.#taken
  }
}
