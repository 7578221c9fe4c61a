import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { median } from './measure.mjs'

/**
 * Runs benchmarks in this checkout and in another one by turns, each in a process of its own, and prints every number that
 * they print: both medians, the spread of the other checkout, and this one's share of the other's. What the machine does
 * meanwhile hits both alike.
 */
export function compareWith(checkout, { names, rounds }) {
  const sides = { other: resolve(checkout), here: resolve(import.meta.dirname, '..') }
  for (const name of names) {
    const runs = { other: [], here: [] }
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? ['other', 'here'] : ['here', 'other']
      for (const side of order) {
        const numbers = numbersOf(sides[side], name)
        if (numbers !== undefined) runs[side].push(numbers)
      }
    }
    console.log(`\n${name}: ${runs.other.length} and ${runs.here.length} of ${rounds} rounds`)
    for (const line of table(runs)) console.log(`  ${line}`)
  }
}

const NUMBER = /\d+(?:\.\d+)?/g

/** One round of each benchmark per turn: the alternation is the repetition. One start says too little about a latency. */
const roundsOf = (name) => (name === 'latency' || name === 'create-to-start-postgres' ? 25 : 1)

/** Every number of the printed figures, in their order. */
function numbersOf(checkout, name) {
  const argv = ['bench/run.mjs', name, '--json', `--rounds=${roundsOf(name)}`]
  const done = spawnSync(process.execPath, argv, { cwd: checkout, encoding: 'utf8', maxBuffer: 1 << 28 })
  // 1: it ran, and missed its bar.
  if (done.status !== 0 && done.status !== 1) return failed(checkout, name, done.stderr)
  try {
    const [{ figures, ratio }] = JSON.parse(done.stdout)
    return Object.entries({ ...figures, ratio }).flatMap(([label, text]) => labelled(label, String(text)))
  } catch {
    return failed(checkout, name, done.stderr)
  }
}

/** Each number with what tells it from the others of its line: the words before it and its unit. */
function labelled(label, text) {
  return [...text.matchAll(NUMBER)].map((found, n) => {
    const unit = /^[^\d,;()]*/.exec(text.slice(found.index + found[0].length))[0].trim()
    return { label: n === 0 ? label : '', unit, value: Number(found[0]) }
  })
}

function failed(checkout, name, stderr) {
  console.error(`${name} failed in ${checkout}: ${stderr.trim().split('\n').slice(-3).join(' | ')}`)
  return undefined
}

/** By position and not by label: a label may be reworded between the two. */
function* table({ other, here }) {
  if (other.length === 0 || here.length === 0) return
  for (const [at, { label, unit }] of here[0].entries()) {
    const values = { other: valuesAt(other, at), here: valuesAt(here, at) }
    if (values.other.length === 0 || values.here.length === 0) continue
    const [before, after] = [median(values.other), median(values.here)]
    const [least, most] = [Math.min(...values.other), Math.max(...values.other)]
    const share = before === 0 ? '-' : (after / before).toFixed(3)
    const outside = Math.abs(after - before) > 0.05 * Math.abs(before) && (after < least || after > most)
    yield `${label.padEnd(34)} ${unit.slice(0, 28).padEnd(28)} other ${before} (${least} to ${most})  here ${after}  x ${share}${outside ? '  <<' : ''}`
  }
}

function valuesAt(runs, at) {
  return runs.map((numbers) => numbers[at]?.value).filter((value) => value !== undefined)
}
