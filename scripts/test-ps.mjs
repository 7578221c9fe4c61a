import { spawnSync } from 'node:child_process'
import { PS_LEG } from '../test/ps-leg.mjs'

/** The process tests with the process table of `ps`, without launcher and namespace. More arguments go to vitest. */
const { status } = spawnSync('npx', ['vitest', 'run', ...PS_LEG, ...process.argv.slice(2)], {
  env: { ...process.env, FLEET_PROCESS_TABLE: 'ps' },
  stdio: 'inherit',
})
process.exit(status ?? 1)
