import { type FSWatcher, watch } from 'node:fs'
import { privateFile } from './files.ts'

/** Calls when the wake file is touched. A hint: where watching is not possible, polling alone does. */
export function watchWake(path: string, woken: () => void): Disposable {
  let watcher: FSWatcher | undefined
  try {
    privateFile(path)
    watcher = watch(path, { persistent: false }, woken)
    watcher.on('error', () => {})
  } catch {
    // No watches left, or none on this file system.
  }
  return { [Symbol.dispose]: () => watcher?.close() }
}
