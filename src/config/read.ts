import { readText } from '../platform/files/files.ts'

/** runtime.toml, at most 1 MB. It may be a link: people keep it with their other settings. undefined: there is none. */
export function readConfig(path: string): string | undefined {
  return readText(path, { limit: 1 << 20 })
}
