import { defineConfig } from 'vitest/config'

/** `npm run test:real`: real coder CLIs against a scripted model. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    reporters: ['verbose'],
    // How much runs at once is for each coder to say (`atOnce`).
    fileParallelism: false,
    maxConcurrency: 100,
    // Counts from before a seat is taken. Every wait within a test has a limit of its own.
    testTimeout: 900_000,
  },
})
