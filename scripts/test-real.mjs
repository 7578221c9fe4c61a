#!/usr/bin/env node
// Drives the real coder CLIs through fleet, against a model on loopback. Needs no account, and npm only the first time.
//   node scripts/test-real.mjs [coder…] [-t <words>]   all of them, or those named; only the tests with these words
//   node scripts/test-real.mjs --update -t page        rewrites the output on the coders' pages
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installCoders } from './install-coders.mjs'
import { REAL_CODERS } from './real-coders.mjs'

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'))

const known = Object.keys(REAL_CODERS)
const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { 'test-name': { type: 'string', short: 't' }, update: { type: 'boolean' } },
})
const strange = wanted.filter((name) => !known.includes(name))
if (strange.length > 0) {
  console.error(`test:real: no coder is called ${strange.join(', ')}; there are ${known.join(', ')}`)
  process.exit(2)
}

/** A network namespace with only loopback, so that nothing leaves this machine. Needs root. */
const ALONE = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

const coders = await installCoders(wanted.length > 0 ? wanted : known).catch((error) => {
  console.error(`test:real: ${error.message}`)
  process.exit(1)
})
const alone = spawnSync(ALONE[0], [...ALONE.slice(1), 'true']).status === 0
console.log(
  `test:real: ${Object.keys(coders).join(', ')}; ${alone ? 'in a network of loopback alone' : 'NO network of its own here (not root): only proxies keep the CLIs on loopback'}`,
)
const only = values['test-name'] === undefined ? [] : ['--testNamePattern', values['test-name']]
if (values.update) only.push('--update')
const vitest = [join('node_modules', '.bin', 'vitest'), 'run', '--config', 'vitest.real.config.ts', ...only]
const [file, ...argv] = alone ? [...ALONE, ...vitest] : vitest
const { status } = spawnSync(file, argv, {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, FLEET_REAL_CODERS: JSON.stringify(coders) },
})
process.exitCode = status ?? 1
