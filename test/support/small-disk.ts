import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freeDisk } from '../../src/platform/runtime/machine.ts'
import { temporaryFolder } from './cli.ts'

export const MEGABYTE = 1 << 20

/** A separate small disk; undefined with a message if not root. */
export function smallDisk(megabytes: number): string | undefined {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (mounted.status !== 0) {
    console.warn('\n*** a separate disk needs root: SKIPPED ***\n')
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Leaves this many bytes free; with 0 not even an empty file can be created. */
export function fill(folder: string, leaving: number): string {
  const file = join(folder, `ballast-${leaving}`)
  writeFileSync(file, '')
  try {
    while (freeDisk(folder) > leaving) {
      appendFileSync(file, Buffer.alloc(Math.min(4 * MEGABYTE, Math.max(4096, freeDisk(folder) - leaving))))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  return file
}
