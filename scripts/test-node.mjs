#!/usr/bin/env node
// Runs the tests of every Node (test/suites.mjs) on newer versions of it, which npm installs once, outside the tree.
//   node scripts/test-node.mjs [version…] [-t <words>]   all of scripts/node-versions.mjs, or those that begin so (22)
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { installProgram } from './install-program.mjs'
import { NODES } from './node-versions.mjs'

process.chdir(join(import.meta.dirname, '..'))

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { 'test-name': { type: 'string', short: 't' } },
})
const means = (word) => NODES.filter(({ version }) => version === word || version.startsWith(`${word}.`))
const strange = wanted.filter((word) => means(word).length === 0)
if (strange.length > 0) {
  const known = NODES.map(({ version }) => version).join(', ')
  console.error(`test:node: no Node ${strange.join(', ')}; there are ${known}`)
  process.exit(2)
}

for (const each of wanted.length === 0 ? NODES : wanted.flatMap(means)) {
  const bin = await installProgram(each).catch((error) => {
    console.error(`test:node: ${error.message}`)
    process.exit(1)
  })
  const only = values['test-name'] === undefined ? [] : ['--testNamePattern', values['test-name']]
  const { status } = spawnSync(join(bin, 'node'), [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...only], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      // npm and the package's own program start the first node on PATH.
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      FLEET_TEST_SELECTION: 'every-node',
      FLEET_TEST_NODE: `v${each.version}`,
    },
  })
  if (status !== 0) process.exit(1)
}
