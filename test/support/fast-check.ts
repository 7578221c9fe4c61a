import { createRequire } from 'node:module'
import type real from 'fast-check'

/**
 * Stands for fast-check in every test (vitest.config.ts). `npm run verify` sets FLEET_TEST_SEED, so that its property tests
 * try the same cases each time and depend on the change alone. Without it, as in `npm test` and the soak, they try new
 * cases; a failure then names its seed.
 */
const fc = (createRequire(import.meta.url)('fast-check') as { default: typeof real }).default

const seed = process.env['FLEET_TEST_SEED'] ?? ''
if (seed !== '') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })

export default fc
