import { lstatSync, renameSync, rmdirSync, unlinkSync } from 'node:fs'

/**
 * Frees a path that something foreign takes. A folder or a file keeps its contents under another name: it may be huge, and
 * the user may want it. Links, pipes, sockets and devices have no contents.
 */
export function putOutOfTheWay(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.isDirectory() && isRemovedEmpty(path))) return
  if (found.isDirectory() || found.isFile()) renameSync(path, `${path}.aside-${Date.now()}`)
  else unlinkSync(path)
}

function isRemovedEmpty(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
