import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { hideBd } from './scripts/hide-bd.mjs'
import { reporters } from './scripts/tally.mjs'
import { filesOf } from './test/suites.mjs'
import { LongestFirst } from './test/support/longest-first.ts'
import { throughPs } from './test/support/ps-exceptions.ts'

/**
 * Rooms whose tests change nothing in their process, so that files share one: what a file imports costs more than what it
 * tests, and with a process for each file they took twice as long.
 */
const SHARED = ['cli', 'coders', 'config', 'domain', 'store', 'views'].map((room) => `test/${room}/`)
const files = filesOf(process.env['FLEET_TEST_SELECTION'])
const isShared = (file: string): boolean => SHARED.some((room) => file.startsWith(room))
const projects = [
  { extends: true, test: { name: 'shared process', include: files.filter(isShared), isolate: false } },
  { extends: true, test: { name: 'own process', include: files.filter((file) => !isShared(file)) } },
] as const

export default defineConfig({
  resolve: { alias: { 'fast-check': join(import.meta.dirname, 'test/support/fast-check.ts') } },
  test: {
    projects: projects.filter(({ test }) => test.include.length > 0),
    reporters: reporters('default'),
    globalSetup: ['test/support/build.ts', 'test/support/run-folder.ts'],
    setupFiles: throughPs ? ['test/support/left-out.ts'] : [],
    sequence: { sequencer: LongestFirst },
    // Each of the runs of `npm run verify:all` would transform the same files again.
    experimental: { fsModuleCache: true },
    // Two cores have enough to do with four. The tests of the rest wait for leases, retries and servers half of their time.
    maxWorkers: process.env['FLEET_TEST_SELECTION'] === 'rest' ? 6 : 4,
    // Concurrent tests wait for processes of their own; two cores serve no more of them at a time.
    maxConcurrency: 2,
    // The tests run in processes of their own, which do not see what this one was called with.
    env: {
      PATH: hideBd(process.env['PATH'] ?? ''),
      // One cache for all test homes (Node 22 and newer): otherwise each home starts with an empty one.
      NODE_COMPILE_CACHE: join(import.meta.dirname, '.build/code'),
      FLEET_TEST_RECORDS: process.argv.some((word) => word === '--update' || word === '-u') ? '1' : '',
    },
    // Waits for events have a limit of their own, below this one. Both are for busy machines: a failure waits, nothing else.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
})
