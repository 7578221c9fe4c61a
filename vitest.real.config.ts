import { defineConfig } from 'vitest/config'

const coders = Object.keys(JSON.parse(process.env['FLEET_REAL_CODERS'] ?? '{}')).length

/** `npm run test:real`: real coder CLIs against a scripted model. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    reporters: ['verbose'],
    maxWorkers: 2,
    // Two scenarios of each coder mostly wait: for the reset of a limit, for an overload to pass.
    maxConcurrency: 3 + 2 * coders,
    testTimeout: 150_000,
  },
})
