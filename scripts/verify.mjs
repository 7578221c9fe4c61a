#!/usr/bin/env node
// Installs, then runs checks and tests. Stops at the first failure.
//   npm run verify        core: lint, types, unused code, the tests that need Node and git only
//   npm run verify:rest   everything else: bd, PostgreSQL, pages, the ps leg, newer Nodes, the real CLIs, a short soak
//   npm run verify:all    both
import { join } from 'node:path'
import { install } from './install.mjs'
import { NODES } from './node-versions.mjs'
import { performStage } from './stage.mjs'
import { count, counting, summary } from './tally.mjs'

// Tests must not write what they compare with: a missing page or recording is a failure.
process.env.CI = 'true'
// Property tests try the same cases each time: a change passes or fails by itself. The soak and `npm test` try new ones.
process.env.FLEET_TEST_SEED ??= '16'
process.chdir(join(import.meta.dirname, '..'))
const bin = (name) => join('node_modules', '.bin', name)
const node = process.execPath

/** Set for runs of tests beside each other: the tests before them have built the CLI (test/support/build.ts). */
const BUILT = { FLEET_TEST_BUILT: '1' }

/**
 * Steps of one stage run beside each other. Of the tests only those do that are few and wait for other programs.
 * `missing`: the exit code with which a step says that this machine does not support it.
 * @type {Readonly<Record<string, import('./stage.mjs').Step[][]>>}
 */
const STAGES = {
  core: [
    [
      { name: 'types', argv: [bin('tsc'), '--noEmit'] },
      { name: 'format and lint', argv: [bin('biome'), 'ci', '.'] },
      { name: 'unused code', argv: [bin('knip')] },
    ],
    [{ name: 'core tests', argv: [bin('vitest'), 'run'], env: { FLEET_TEST_SELECTION: 'core' } }],
  ],
  rest: [
    [{ name: 'the real bd', argv: [node, 'scripts/build-bd.mjs'], missing: 3 }],
    [{ name: 'tests of the rest', argv: [bin('vitest'), 'run'], env: { FLEET_TEST_SELECTION: 'rest' } }],
    [{ name: 'processes through ps', argv: [node, 'scripts/test-ps.mjs'] }],
    [
      ...NODES.map(({ version }) => ({
        name: `Node ${version}`,
        argv: [node, 'scripts/test-node.mjs', version],
        env: BUILT,
      })),
      { name: 'real coder CLIs', argv: [node, 'scripts/test-real.mjs'], env: BUILT },
    ],
    [{ name: 'a short soak', argv: [node, 'scripts/soak.mjs', '--short'] }],
  ],
}

const wanted = process.argv.slice(2)
const strange = wanted.filter((part) => !(part in STAGES))
if (wanted.length === 0 || strange.length > 0) {
  console.error(`verify: expected ${Object.keys(STAGES).join(' or ')}, got ${strange.join(' ') || 'nothing'}`)
  process.exit(2)
}

const begun = performance.now()
const tallies = []
install()
for (const stage of wanted.flatMap((part) => STAGES[part])) await perform(stage)
console.log(`\nverify ${wanted.join(' and ')}: all passed in ${seconds(begun)}`)
console.log(summary(tallies))

async function perform(stage) {
  console.log(`\n== ${stage.map(({ name }) => name).join(', ')}`)
  const began = performance.now()
  const steps = stage.map((step) => {
    const counted = counting()
    return { ...step, env: { ...counted.env, ...step.env }, counted }
  })
  await performStage(steps, ({ name, argv, missing, counted }, { status, output }) => {
    process.stdout.write(output)
    const isSkipped = missing !== undefined && status === missing
    const tally = isSkipped ? { passed: 0, failed: 0, skipped: 1 } : counted.results(status)
    tallies.push(tally)
    count(tally)
    if (status !== 0 && !isSkipped) throw new Error(`${name} failed (${argv.join(' ')})`)
    console.log(`== ${name}: ${isSkipped ? 'skipped' : 'ok'} in ${seconds(began)}`)
  }).catch((error) => {
    console.error(`\nverify: ${error.message}\n${summary(tallies)}`)
    process.exit(1)
  })
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}
