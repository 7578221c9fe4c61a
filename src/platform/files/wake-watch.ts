import { type FSWatcher, watch } from 'node:fs'
import { privateFile } from './files.ts'

/** Calls `woken` when the wake file is touched. Only a hint: without a watch, polling finds the same changes. */
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
