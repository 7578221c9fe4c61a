#!/usr/bin/env node
// The speed that fleet promises, each against an anchor measured in the same run.
//   npm run bench                 all of them
//   npm run bench -- race scale   some of them
//   npm run bench -- --json       one JSON document on stdout
//   npm run bench -- --rounds=1   a quick look, where a benchmark has rounds to save
//   npm run bench -- kill-storm --short   the storms with a tenth of their tasks
//   npm run bench -- start --against=/other/checkout   both by turns, 7 rounds or --rounds; << marks what differs by more
//                                 than 5 % and lies outside the other's own spread
// Exit 1 if a bar is missed, 2 for an unknown name.
import { compareWith } from './against.mjs'
import { agentSide } from './agent-side.mjs'
import { bdLocal } from './bd-local.mjs'
import { beadsDrain } from './beads-drain.mjs'
import { buildAll } from './build.mjs'
import { claimClose } from './claim-close.mjs'
import { claimClosePostgres } from './claim-close-postgres.mjs'
import { cpu } from './cpu.mjs'
import { createToStartPostgres } from './create-to-start-postgres.mjs'
import { crowd } from './crowd.mjs'
import { evidence } from './evidence.mjs'
import { fill } from './fill.mjs'
import { hooks } from './hooks.mjs'
import { ingest } from './ingest.mjs'
import { killStorm } from './kill-storm.mjs'
import { landing } from './landing.mjs'
import { latency } from './latency.mjs'
import { listMemory } from './list-memory.mjs'
import { memory } from './memory.mjs'
import { race } from './race.mjs'
import { scale } from './scale.mjs'
import { start } from './start.mjs'
import { stormPostgres } from './storm-postgres.mjs'
import { throughput } from './throughput.mjs'
import { worktrees } from './worktrees.mjs'

const BENCHES = [
  start,
  agentSide,
  hooks,
  claimClose,
  race,
  scale,
  listMemory,
  ingest,
  throughput,
  latency,
  landing,
  fill,
  memory,
  cpu,
  killStorm,
  crowd,
  bdLocal,
  beadsDrain,
  claimClosePostgres,
  createToStartPostgres,
  stormPostgres,
  evidence,
  worktrees,
]

const words = process.argv.slice(2)
const json = words.includes('--json')
const rounds = flagged('rounds')
const against = flagged('against')
const options = { ...(rounds === undefined ? {} : { rounds: Number(rounds) }), short: words.includes('--short') }
const names = words.filter((word) => !/^--(json$|short$|rounds=|against=)/.test(word))
const unknown = names.find((name) => !BENCHES.some((bench) => bench.name === name))
if (unknown !== undefined) {
  console.error(`no benchmark ${JSON.stringify(unknown)}; there are: ${BENCHES.map((bench) => bench.name).join(', ')}`)
  process.exit(2)
}

const chosen = BENCHES.filter(({ name }) => names.length === 0 || names.includes(name))
if (against !== undefined) {
  compareWith(against, { names: chosen.map(({ name }) => name), rounds: options.rounds ?? 7 })
  process.exit()
}

await buildAll()
const results = []
for (const bench of chosen) {
  const result = { name: bench.name, about: bench.about, ...(await bench.run(options)) }
  const told = JSON.stringify(result)
  if (/NaN|Infinity|undefined/.test(told)) throw new Error(`${bench.name} measured something impossible: ${told}`)
  results.push(result)
  if (!json) print(result)
}
if (json) console.log(JSON.stringify(results, undefined, 2))
process.exitCode = results.every((result) => result.pass) ? 0 : 1

function flagged(name) {
  return words.map((word) => new RegExp(`^--${name}=(.+)$`).exec(word)?.[1]).find(Boolean)
}

function print({ name, about, figures, ratio, bar, pass }) {
  console.log(`${pass ? 'PASS' : 'FAIL'}  ${name}: ${about}`)
  for (const [label, value] of Object.entries(figures)) console.log(`        ${label.padEnd(34)}${value}`)
  console.log(`        ${'ratio'.padEnd(34)}${ratio}   (bar: ${bar})\n`)
}
