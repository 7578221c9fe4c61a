import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../scripts/bundle.mjs'
import { anchor, worker } from './build.mjs'
import { inFolder, median, report } from './measure.mjs'

const BYTES = 100_000_000
const ROUNDS = 15

export const ingest = {
  name: 'ingest',
  about: `${BYTES / 1e6} MB of claude's stream in events of 2 KB: split, parsed, folded, against a bare split and JSON.parse`,
  run: () =>
    inFolder((folder) => {
      const file = join(folder.path, 'stdout.jsonl')
      const written = writeStream(file)
      const sides = [
        ['anchor', anchor('ingest')],
        ['fleet', worker('ingest')],
      ]
      const rates = { fleet: [], anchor: [] }
      for (let round = 0; round < ROUNDS; round++) {
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
          [`fleet, median of ${ROUNDS}`]: `${Math.round(median(rates.fleet))} MB/s`,
          [`bare loop, median of ${ROUNDS}`]: `${Math.round(median(rates.anchor))} MB/s`,
          'mean line': `${Math.round(BYTES / written.lines)} bytes`,
        },
        ratio: `${ratio.toFixed(2)}, median of the rounds`,
        bar: '>= 1.0',
        pass: ratio >= 1.0,
      }
    }),
}

/** A recorded run told over and over, its texts as long as they are in earnest: source code, with all its quotes. */
function writeStream(file) {
  const recorded = readFileSync(join(ROOT, 'test/fixtures/coders/claude/perm-acceptEdits.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const [init, text, write, written, , , answer, , result] = recorded.map((line) => JSON.parse(line))
  const prose = readFileSync(join(ROOT, 'src/queues/sqlite/queue.ts'), 'utf8')
  const some = (length, turn) => {
    const start = (turn * 997) % (prose.length - length)
    return prose.slice(start, start + length)
  }
  const fd = openSync(file, 'w')
  const put = (lines) => writeSync(fd, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  let bytes = put([init])
  let lines = 1
  let calls = 0
  for (let turn = 0; bytes < BYTES; turn++) {
    const id = `toolu_${turn}`
    text.message.id = `msg_${turn}`
    text.message.content[0].text = some(1200, turn)
    write.message.id = text.message.id
    write.message.content[0].id = id
    write.message.content[0].input.content = some(1200, turn + 7)
    const told = turn % 2 === 0 ? answer : written
    told.message.content[0].tool_use_id = id
    told.message.content[0].content = some(900, turn + 3)
    told.tool_use_result = { ...told.tool_use_result, stdout: told.message.content[0].content }
    bytes += put([text, write, told])
    lines += 3
    calls++
  }
  put([result])
  closeSync(fd)
  return { lines: lines + 1, calls }
}
