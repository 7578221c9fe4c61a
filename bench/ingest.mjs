import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { anchor, worker } from './build.mjs'
import { claudeStream } from './claude-stream.mjs'
import { inFolder, median, report } from './measure.mjs'

const BYTES = 100_000_000
const ROUNDS = 15

export const ingest = {
  name: 'ingest',
  about: `${BYTES / 1e6} MB of claude's stream in events of 2 KB: split, parsed, folded, against a bare split and JSON.parse`,
  run: ({ rounds = ROUNDS } = {}) =>
    inFolder((folder) => {
      const file = join(folder.path, 'stdout.jsonl')
      const written = writeStream(file)
      const sides = [
        ['anchor', anchor('ingest')],
        ['fleet', worker('ingest')],
      ]
      const rates = { fleet: [], anchor: [] }
      for (let round = 0; round < rounds; round++) {
        // Each goes first every other round: what the machine does beside this hits both alike.
        for (const [side, script] of round % 2 === 0 ? sides : [...sides].reverse()) {
          const { lines, seconds, toolCalls } = report(script, [file])
          if (lines !== written.lines) throw new Error(`${side} read ${lines} of ${written.lines} lines`)
          if (side === 'fleet' && toolCalls !== written.calls) throw new Error(`${toolCalls} of ${written.calls} calls`)
          rates[side].push(BYTES / 1e6 / seconds)
        }
      }
      const ratio = median(rates.fleet.map((rate, round) => rate / rates.anchor[round]))
      return {
        figures: {
          [`fleet, median of ${rounds}`]: `${Math.round(median(rates.fleet))} MB/s`,
          [`bare loop, median of ${rounds}`]: `${Math.round(median(rates.anchor))} MB/s`,
          'mean line': `${Math.round(BYTES / written.lines)} bytes`,
        },
        ratio: `${ratio.toFixed(2)}, median of the rounds`,
        bar: '>= 1.0',
        pass: ratio >= 1.0,
      }
    }),
}

function writeStream(file) {
  const stream = claudeStream()
  const fd = openSync(file, 'w')
  let bytes = writeSync(fd, stream.first)
  let lines = 1
  let calls = 0
  for (let turn = 0; bytes < BYTES; turn++) {
    const told = stream.turn(turn)
    bytes += writeSync(fd, told.join(''))
    lines += told.length
    calls++
  }
  writeSync(fd, stream.last)
  closeSync(fd)
  return { lines: lines + 1, calls }
}
