import { readSync, writeSync } from 'node:fs'
import type { Claim, Queue } from '../../src/ports/queue.ts'
import type { Connection } from '../contract/subject.ts'

/**
 * A process that works on a queue while others do: `worker <connection> <job>`, both JSON. It says `ready`, waits for a
 * line on stdin, does its job and reports each step as one line of JSON. Built by test/support/build.ts.
 */
export type Job =
  /** Claims until nothing is left or it has `atMost`, without settling; reports each id. */
  | { readonly kind: 'claim'; readonly by: string; readonly leaseMs: number; readonly atMost?: number }
  /** Calls `method` for each id at its moment, so that several processes do it at the same time; reports each answer's kind. */
  | { readonly kind: 'close' | 'take'; readonly by: string; readonly calls: readonly TimedCall[] }
  /** Renews one after the other, `everyMs`; reports the ids of those that were still its own. */
  | { readonly kind: 'renew'; readonly claims: readonly Claim[]; readonly leaseMs: number; readonly everyMs: number }
  /** Reclaims what has expired, once, at its moment; reports each id. */
  | { readonly kind: 'reclaim'; readonly at: number }

export interface TimedCall {
  readonly id: string
  /** Milliseconds after the start signal's moment. */
  readonly at: number
}

async function main(connection: Connection, job: Job): Promise<void> {
  const { connect } = (await import(connection.module)) as { connect(options: Connection['options']): Promise<Queue> }
  await using queue = await connect(connection.options)
  say('ready')
  const line = waitForLine()
  if (line === '') return // whoever started it is gone
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

/** Busy on purpose: two processes must arrive within microseconds of each other. */
function spinUntil(moment: number): void {
  while (performance.timeOrigin + performance.now() < moment);
}

/** Written at once: a killed process has said all that it did. */
function say(line: string): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** Empty when stdin ends without one. */
function waitForLine(): string {
  const buffer = Buffer.alloc(64)
  return buffer.subarray(0, readSync(0, buffer)).toString().trim()
}

const [connection = '', job = ''] = process.argv.slice(2)
main(JSON.parse(connection), JSON.parse(job)).catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
