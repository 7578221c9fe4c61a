import { defineConfig } from 'vitest/config'
import { hideBd } from './scripts/hide-bd.mjs'

export default defineConfig({
  test: {
    env: { PATH: hideBd(process.env['PATH'] ?? '') },
    include: ['test/**/*.test.ts'],
    // They have a run of their own: npm run test:real.
    exclude: ['test/real/**'],
    globalSetup: 'test/support/build.ts',
    // Most of them wait for processes: one file at a time, as is usual on two cores, leaves both of them idle.
    maxWorkers: 3,
    // Concurrent tests wait for processes of their own; two cores serve no more of them at a time.
    maxConcurrency: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
