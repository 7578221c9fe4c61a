import { readSync, writeSync } from 'node:fs'
import type { Claim, Queue } from '../../src/ports/queue.ts'
import type { Connection } from '../contract/subject.ts'

/**
 * A process that works on a queue beside others: `worker <connection> <job>`, both JSON. It prints `ready`, waits for a
 * line on stdin, does its job and reports each step as one line of JSON. Built by test/support/build.ts.
 */
export type Job =
  /** Claims until nothing is ready or it has `atMost`, without settling; reports each id. */
  | { readonly kind: 'claim'; readonly by: string; readonly leaseMs: number; readonly atMost?: number }
  /** Calls the method for each id at its time, so that several processes call at once; reports each answer's kind. */
  | { readonly kind: 'close' | 'take'; readonly by: string; readonly calls: readonly TimedCall[] }
  /** Renews one claim after the other, `everyMs`; reports the ids of those it still owned. */
  | { readonly kind: 'renew'; readonly claims: readonly Claim[]; readonly leaseMs: number; readonly everyMs: number }
  /** Reclaims expired claims once, at its time; reports each id. */
  | { readonly kind: 'reclaim'; readonly at: number }

export interface TimedCall {
  readonly id: string
  /** Milliseconds after the time in the start signal. */
  readonly at: number
}

async function main(connection: Connection, job: Job): Promise<void> {
  const { connect } = (await import(connection.module)) as { connect(options: Connection['options']): Promise<Queue> }
  await using queue = await connect(connection.options)
  say('ready')
  const line = waitForLine()
  if (line === '') return // the test has ended
  const start = Number(line)
  if (job.kind === 'claim') await claimAll(queue, job)
  else if (job.kind === 'renew') {
    for (const [i, claim] of job.claims.entries()) {
      spinUntil(start + i * job.everyMs)
      if (await queue.renew(claim, job.leaseMs)) say(claim.id)
    }
  } else if (job.kind === 'reclaim') {
    spinUntil(start + job.at)
    for (const id of await queue.reclaimExpired()) say(id)
  } else {
    for (const { id, at } of job.calls) {
      spinUntil(start + at)
      const answer = job.kind === 'close' ? await queue.close(id, {}, job.by) : await queue.take(id, job.by)
      say(answer.kind)
    }
  }
}

async function claimAll(queue: Queue, { by, leaseMs, atMost = Infinity }: Job & { kind: 'claim' }): Promise<void> {
  for (let count = 0; count < atMost; count++) {
    const [claim] = await queue.claim({ limit: 1, by, leaseMs })
    if (claim === undefined) return
    say(claim.id)
  }
}

/** A busy wait, so that two processes arrive within microseconds of each other. */
function spinUntil(moment: number): void {
  while (performance.timeOrigin + performance.now() < moment);
}

/** Unbuffered, so that a killed process has reported everything it did. */
function say(line: string): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Returns '' if stdin ends first. */
function waitForLine(): string {
  const buffer = Buffer.alloc(64)
  return buffer.subarray(0, readSync(0, buffer)).toString().trim()
}

const [connection = '', job = ''] = process.argv.slice(2)
main(JSON.parse(connection), JSON.parse(job)).catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
