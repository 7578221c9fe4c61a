#!/usr/bin/env node
// Installs, then runs every check and test. Stops at the first failure.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './install.mjs'

// Tests must not write what they compare with: a missing page or recording is a failure.
process.env.CI = 'true'
process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'))
const bin = (name) => join('node_modules', '.bin', name)

install()
step('format and lint', bin('biome'), ['ci', '.'])
step('types', bin('tsc'), ['--noEmit'])
step('unused code', bin('knip'), [])
step('the real bd', process.execPath, ['scripts/build-bd.mjs'], { mayBeMissing: 3 })
step('tests', bin('vitest'), ['run'])
console.log('\nverify: all passed')

/** `mayBeMissing`: the exit code with which a tool reports that this machine does not support it. */
function step(name, file, args, { mayBeMissing } = {}) {
  console.log(`\n== ${name}`)
  const begun = Date.now()
  const { status, error } = spawnSync(file, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) throw error
  if (status !== 0 && status !== mayBeMissing) {
    console.error(`\nverify: ${name} failed (${[file, ...args].join(' ')})`)
    process.exit(1)
  }
  console.log(`== ${name}: ${status === 0 ? 'ok' : 'skipped'} in ${((Date.now() - begun) / 1000).toFixed(1)} s`)
}
