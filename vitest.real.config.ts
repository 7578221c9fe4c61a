import { defineConfig } from 'vitest/config'

/** `npm run test:real`: real coder CLIs against a scripted model. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    reporters: ['verbose'],
    // Most of them wait most of the time: for resets, retries, time-outs.
    maxWorkers: 2,
    maxConcurrency: 5,
    testTimeout: 150_000,
  },
})
