import { cpSync, lstatSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/**
 * Runs a storm in `folder`. If it fails, copies the folder to one that stays, and says where: a storm is random, and its
 * failure may not come again.
 * @template T
 * @param {string} folder
 * @param {{ storm: () => Promise<T>, isGood: (report: T) => boolean }} how
 * @returns {Promise<T>}
 */
export async function keepingEvidence(folder, { storm, isGood }) {
  let good = false
  try {
    const report = await storm()
    good = isGood(report)
    return report
  } finally {
    if (!good) console.error(`\n*** the storm failed: its homes are kept in ${keep(folder)} ***\n`)
  }
}

/** @param {string} folder */
function keep(folder) {
  const kept = mkdtempSync(join(tmpdir(), 'fleet-storm-'))
  cpSync(folder, kept, { recursive: true, verbatimSymlinks: true, filter: isEvidence })
  return kept
}

/** Not the server's files, and nothing that cannot be copied. @param {string} path */
function isEvidence(path) {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const isPlain = found !== undefined && (found.isFile() || found.isDirectory() || found.isSymbolicLink())
  return isPlain && !basename(path).startsWith('postgres')
}
