import { accessSync, chmodSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * PATH without the user's own bd, because `fleet init` would choose it. Tests that need the real bd
 * add it again in front.
 * @param {string} path
 * @returns {string}
 */
export function hideBd(path) {
  if (!path.split(delimiter).some((folder) => canRun(join(folder, 'bd')))) return path
  const folder = join(import.meta.dirname, '../.build/no-bd')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'bd'), '#!/bin/sh\nexit 1\n')
  chmodSync(join(folder, 'bd'), 0o755)
  return `${folder}${delimiter}${path}`
}

function canRun(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
