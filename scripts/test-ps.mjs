import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PS_LEG } from '../test/ps-leg.mjs'

/** The process tests with the process table of `ps`, without launcher and namespace. More arguments go to vitest. */
process.chdir(join(import.meta.dirname, '..'))
const vitest = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...PS_LEG, ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, vitest, {
  env: { ...process.env, FLEET_PROCESS_TABLE: 'ps' },
  stdio: 'inherit',
})
process.exit(status ?? 1)
