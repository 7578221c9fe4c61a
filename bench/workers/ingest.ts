import { closeSync, openSync, readSync } from 'node:fs'
import { coderFor } from '../../src/coders/registry.ts'
import { emptyDigest, figuresOf, fold } from '../../src/domain/digest.ts'
import { LineSplitter } from '../../src/domain/lines.ts'

const CHUNK = 256 * 1024

/** Reads a recorded stream as a supervisor does, chunk by chunk into one buffer, and says how long it took. */
async function main(file: string): Promise<void> {
  const claude = await coderFor('claude')
  if (claude === undefined) throw new Error('no claude')
  const start = process.hrtime.bigint()
  const digest = emptyDigest()
  const splitter = new LineSplitter()
  let lines = 0
  const take = (line: string | undefined): void => {
    lines++
    for (const event of claude.parse(line ?? '')) fold(digest, event, 0)
  }
  const buffer = Buffer.allocUnsafeSlow(CHUNK)
  const fd = openSync(file, 'r')
  for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer))
    splitter.feed(buffer.subarray(0, read), take)
  splitter.flush(take)
  closeSync(fd)
  const { toolCalls, usage, estimated } = figuresOf(digest)
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  console.log(JSON.stringify({ lines, seconds, toolCalls, usage, estimated }))
}

main(process.argv[2] ?? '')
