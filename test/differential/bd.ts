import { spawnSync } from 'node:child_process'

/** The real bd, or '' if it is not built; then the suites that need it say so and are skipped. */
export const bdBinary: string = spawnSync(process.execPath, ['scripts/build-bd.mjs', '--cached'], {
  encoding: 'utf8',
}).stdout.trim()

if (bdBinary === '')
  console.warn('\n*** the real bd is not built (node scripts/build-bd.mjs): what compares with it is SKIPPED ***\n')
