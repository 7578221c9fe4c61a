import { defineConfig } from 'vitest/config'
import { reporters } from './scripts/tally.mjs'
import { filesOf } from './test/suites.mjs'

/** `npm run test:real`: real coder CLIs against a scripted model. */
export default defineConfig({
  test: {
    include: filesOf('real'),
    globalSetup: 'test/support/build.ts',
    reporters: reporters('verbose'),
    // How much runs at once is for each coder to say (`atOnce`).
    fileParallelism: false,
    maxConcurrency: 100,
    // Counts from before a seat is taken. Every wait within a test has a limit of its own.
    testTimeout: 900_000,
  },
})
