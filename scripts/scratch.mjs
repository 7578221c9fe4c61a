import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const ENOUGH = 512 * 2 ** 20

/**
 * Where tests and benchmarks create their folders: in memory if there is room, because mass deletes slow a disk
 * down for minutes. A container's /dev/shm often has 64 MB only.
 * @returns {string}
 */
export function scratchBase() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize >= ENOUGH) return '/dev/shm'
  } catch {
    // This machine has no /dev/shm.
  }
  return tmpdir()
}
