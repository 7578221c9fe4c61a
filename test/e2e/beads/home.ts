import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { FLEET, type Ran, type RunOptions, run, temporaryFolder } from '../../support/cli.ts'
import { freshBeads, withRealBd } from '../../support/real-bd.ts'

export interface BeadsHome {
  readonly path: string
  readonly beads: string
  /** A project folder that exists. */
  readonly project: string
  readonly env: NodeJS.ProcessEnv
  fleet(argv: readonly string[], options?: RunOptions): Ran
  bd(argv: readonly string[], options?: RunOptions): Ran
}

/** A home created by `fleet init --queue beads`. `copied`: uses a prepared database, because bd takes seconds to create one. */
export function beadsHome({ copied = true } = {}): BeadsHome {
  const folder = temporaryFolder()
  const path = join(folder, 'home')
  const project = join(folder, 'project')
  mkdirSync(project)
  const beads = join(path, '.beads')
  if (copied) freshBeads(beads)
  const env = { ...withRealBd(), FLEET_HOME: path, HOME: folder }
  const fleet = (argv: readonly string[], options: RunOptions = {}): Ran =>
    run(process.execPath, [FLEET, ...argv], { cwd: project, ...options, env: { ...env, ...options.env } })
  const made = fleet(['init', '--queue', 'beads'])
  if (made.code !== 0) throw new Error(`fleet init failed: ${made.stderr}`)
  return { path, beads, project, env, fleet, bd: (argv, options) => fleet(['bd', ...argv], options) }
}
