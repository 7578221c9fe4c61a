import { linkSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { coderFor } from '../../src/coders/registry.ts'
import { emptyDigest, figuresOf, fold } from '../../src/domain/run/digest.ts'
import { NO_FIGURES, type Run } from '../../src/domain/run/run.ts'
import { LineSplitter } from '../../src/domain/text/lines.ts'
import { redact } from '../../src/domain/text/redact.ts'
import { Home } from '../../src/platform/files/home.ts'
import { openTail } from '../../src/platform/files/tail.ts'
import type { Coder } from '../../src/ports/coder.ts'
import { homeAttempts } from '../../src/store/attempts.ts'
import { follow, followRest, writeEvents } from '../../src/supervisor/run/follow.ts'
import { liveRun } from '../../src/supervisor/run/live-run.ts'
import type { World } from '../../src/supervisor/world.ts'

/** Reads a recorded stream as a supervisor does, and prints how long it took. With `folder` it also writes events.jsonl. */
async function main(file: string, folder: string | undefined): Promise<void> {
  const claude = await coderFor('claude')
  if (claude === undefined) throw new Error('no claude')
  console.log(JSON.stringify(folder === undefined ? readIn(file, claude) : writtenDown(file, claude, folder)))
}

/** Reads, hashes, splits, parses and folds: everything that the run's state depends on. */
function readIn(file: string, claude: Coder): object {
  const start = process.hrtime.bigint()
  const digest = emptyDigest()
  const splitter = new LineSplitter()
  let lines = 0
  const take = (line: string | undefined): void => {
    lines++
    for (const event of claude.parse(line ?? '')) fold(digest, event, 0)
  }
  using tail = openTail(file)
  const feed = (bytes: Buffer): void => splitter.feed(bytes, take)
  while (tail !== undefined) {
    const read = tail.read(feed)
    if (read.kind !== 'read' || !read.more) break
  }
  splitter.flush(take)
  const sha256 = tail?.hash()
  const { toolCalls } = figuresOf(digest)
  return { lines, seconds: Number(process.hrtime.bigint() - start) / 1e9, toolCalls, sha256 }
}

/** The same through the supervisor's own functions, with every event redacted and appended to events.jsonl. */
function writtenDown(file: string, claude: Coder, folder: string): object {
  const home = new Home(folder)
  const task = 'bench-1'
  const attempt = join(home.task(task), 'attempts', '1')
  mkdirSync(attempt, { recursive: true, mode: 0o700 })
  linkSync(file, join(attempt, 'stdout.jsonl'))
  const record = {
    id: 'run',
    task,
    attempt: 1,
    coder: 'claude',
    model: null,
    resumes: null,
    figures: NO_FIGURES,
  } as Run
  const begun = { startedAt: 0, knownUpTo: -1, costBefore: 0, exits: 'reported', state: { phase: 'running' } } as const
  const live = liveRun(record, { ...begun, coder: claude, folder: attempt })
  const world = {
    attempts: homeAttempts(home),
    clock: { now: Date.now, monotonic: () => performance.now() },
    ledger: { contextWindow: () => undefined },
    environment: { redact: (text: string) => redact(text) },
  } as unknown as World
  const start = process.hrtime.bigint()
  while (follow(world, live));
  followRest(world, live)
  writeEvents(world, live)
  const { toolCalls } = figuresOf(live.digest)
  const sha256 = live.output.stream?.sha256()
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, toolCalls, sha256 }
}

main(process.argv[2] ?? '', process.argv[3])
