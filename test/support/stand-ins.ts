import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Proc } from '../../src/domain/run/run.ts'
import type { Holder } from '../../src/platform/sqlite/supervisor-lock.ts'
import { scrubbed } from './cli.ts'
import type { Orders } from './stand-in.ts'
import { BUILT } from './workers.ts'

export interface StandIn {
  readonly pid: number
  readonly lock: { readonly kind: 'held' } | { readonly kind: 'taken'; readonly holder: Holder } | null
  readonly procs: readonly Proc[]
  /** The messages of starts that failed. */
  readonly refused: readonly string[]
  readonly sightings: readonly string[]
  readonly ended: Promise<unknown>
  /** Resolves when it has ended. */
  kill(): Promise<void>
}

/** A process that holds a home's lock or starts agents; killed at the end of the test. */
export async function standIn(orders: Orders): Promise<StandIn> {
  const argv = ['--expose-gc', join(BUILT, 'stand-in.cjs'), JSON.stringify(orders)]
  // Few enough file descriptors to use them all up.
  const child = spawn('/bin/sh', ['-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, ...argv], {
    env: scrubbed(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { lock, procs, sightings } = JSON.parse(line) as Omit<StandIn, 'procs'> & { procs: (Proc | string)[] }
  return {
    pid: child.pid ?? 0,
    lock,
    procs: procs.filter((each) => typeof each !== 'string'),
    refused: procs.filter((each) => typeof each === 'string'),
    sightings,
    ended,
    kill,
  }
}
