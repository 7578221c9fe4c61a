import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Proc } from '../../src/domain/run.ts'
import type { Holder } from '../../src/platform/supervisor-lock.ts'
import { scrubbed } from './cli.ts'
import type { Orders } from './stand-in.ts'
import { BUILT } from './workers.ts'

export interface StandIn {
  readonly pid: number
  readonly lock: { readonly kind: 'held' } | { readonly kind: 'taken'; readonly holder: Holder } | null
  readonly procs: readonly Proc[]
  readonly ended: Promise<unknown>
  /** Resolves when it is gone. */
  kill(): Promise<void>
}

/** A process that holds a home's lock or starts agents; killed at the end of the test. */
export async function standIn(orders: Orders): Promise<StandIn> {
  const child = spawn(process.execPath, ['--expose-gc', join(BUILT, 'stand-in.cjs'), JSON.stringify(orders)], {
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
  return { pid: child.pid ?? 0, ...JSON.parse(line), ended, kill }
}
