import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'
import { FLEET } from './cli.ts'
import { throughPs } from './ps-exceptions.ts'
import type { FleetOptions } from './supervisor.ts'

/**
 * One thing that a hostile agent may try. docs/reference/what-an-agent-can-do.md is made of these rows: `agent` completes
 * "An agent …", `fleet` is a sentence about what happens then.
 */
export interface Attack {
  readonly agent: string
  readonly fleet: string
  /** `prevented`: it has no effect; `noticed`: it has, and a person is told; `open`: fleet cannot tell. */
  readonly verdict: 'prevented' | 'noticed' | 'open'
}

/** The rows of one topic; test/attacks/<topic>.rows.ts exports them as ROWS, for <topic>.test.ts beside it. */
export interface Topic {
  readonly title: string
  readonly attacks: Readonly<Record<string, Attack>>
}

const ORDINARY = 65534
const isRoot = process.getuid?.() === 0

/** Whether another user can run the built CLI: the checkout may stand in a folder of root's alone. */
const mayChange =
  isRoot && spawnSync(process.execPath, [FLEET, '--version'], { uid: ORDINARY, gid: ORDINARY, cwd: '/' }).status === 0

/** How fleet runs: as far as this machine and user allow, as root with a namespace, and as an ordinary user without. */
const WAYS: readonly { readonly as: string; readonly can: boolean; readonly options: FleetOptions }[] = [
  // The process table of `ps` knows no namespaces.
  { as: 'root, in a pid namespace', can: isRoot && !throughPs, options: {} },
  {
    as: 'an ordinary user, without a namespace',
    can: mayChange || !isRoot,
    options: { config: ['pid_namespace=off'], ...(isRoot && { uid: ORDINARY }) },
  },
]

/** A test of one row, once for each way in which fleet runs. Hand the options to testFleet. */
export function attack({ agent, verdict }: Attack, tried: (options: FleetOptions) => Promise<void> | void): void {
  describe(`an agent ${agent}: ${verdict}`, () => {
    for (const { as, can, options } of WAYS) test.runIf(can)(as, () => tried(options))
  })
}
