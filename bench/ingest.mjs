import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { anchor, worker } from './build.mjs'
import { claudeStream } from './claude-stream.mjs'
import { byTurns, inFolder, median, report } from './measure.mjs'

const BYTES = 100_000_000
const ROUNDS = 15

export const ingest = {
  name: 'ingest',
  about: `${BYTES / 1e6} MB of claude's stream in events of 2 KB: read, hashed, split, parsed, folded, against a bare split and JSON.parse`,
  run: ({ rounds = ROUNDS } = {}) =>
    inFolder((folder) => {
      const file = join(folder.path, 'stdout.jsonl')
      const written = writeStream(file)
      const sides = [
        ['bare loop', () => report(anchor('ingest'), [file])],
        ['fleet', () => report(worker('ingest'), [file])],
        // Not in the bar: events.jsonl is for people and agents to read; the run's state does not depend on it.
        ['fleet, with events.jsonl', () => writtenDown(folder, file)],
      ]
      const rates = Object.fromEntries(sides.map(([side]) => [side, []]))
      for (let round = 0; round < rounds; round++) {
        for (const [side, run] of byTurns(sides, round)) {
          const { lines = written.lines, seconds, toolCalls = written.calls, sha256 = written.sha256 } = run()
          const read = { lines, calls: toolCalls, sha256 }
          if (JSON.stringify(read) !== JSON.stringify(written)) throw new Error(`${side} read ${JSON.stringify(read)}`)
          rates[side].push(BYTES / 1e6 / seconds)
        }
      }
      const ratioOf = (side) => median(rates[side].map((rate, round) => rate / rates['bare loop'][round]))
      const ratio = ratioOf('fleet')
      return {
        figures: {
          ...Object.fromEntries(
            sides.map(([side]) => [`${side}, median of ${rounds}`, `${Math.round(median(rates[side]))} MB/s`]),
          ),
          'with events.jsonl, not in the bar': ratioOf('fleet, with events.jsonl').toFixed(2),
          'mean line': `${Math.round(BYTES / written.lines)} bytes`,
        },
        ratio: `${ratio.toFixed(2)}, median of the rounds`,
        bar: '>= 1.0',
        pass: ratio >= 1.0,
      }
    }),
}

function writtenDown(folder, file) {
  const home = join(folder.path, 'home')
  try {
    return report(worker('ingest'), [file, home])
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function writeStream(file) {
  const stream = claudeStream()
  const fd = openSync(file, 'w')
  let bytes = writeSync(fd, stream.first)
  const hash = createHash('sha256').update(stream.first)
  let lines = 1
  let calls = 0
  for (let turn = 0; bytes < BYTES; turn++) {
    const told = stream.turn(turn)
    const text = told.join('')
    bytes += writeSync(fd, text)
    hash.update(text)
    lines += told.length
    calls++
  }
  writeSync(fd, stream.last)
  closeSync(fd)
  return { lines: lines + 1, calls, sha256: hash.update(stream.last).digest('hex') }
}
