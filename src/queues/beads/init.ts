import { ownBdEnvironment } from '../../domain/queue/bd-environment.ts'
import { AppError } from '../../errors.ts'
import { entryAt } from '../../platform/files/folder.ts'
import { looseIn, tighten } from '../../platform/files/permissions.ts'
import { exec } from '../../platform/process/exec.ts'
import { reasonOf } from './answer.ts'
import { probeBd } from './bd.ts'

/** bd takes seconds to create a database, and far longer on a busy machine. */
const INIT_MS = 180_000

/** Creates the home's database unless it exists: without bd's agent files, git hooks or repository. */
export async function initBeads(how: { beads: string; env: NodeJS.ProcessEnv; prefix: string }): Promise<void> {
  const { beads, env, prefix } = how
  const { file } = await probeBd({ beads, env })
  if (entryAt(`${beads}/metadata.json`) === undefined) {
    const argv = ['init', '--prefix', prefix, '--skip-agents', '--skip-hooks', '--non-interactive', '--quiet']
    const run = await exec(file, {
      argv,
      env: ownBdEnvironment(env, beads),
      timeoutMs: INIT_MS,
      graceMs: 10_000,
      input: '',
    })
    const why =
      run.kind === 'ended'
        ? run.code === 0
          ? undefined
          : reasonOf({ ...run, out: run.out.toString('utf8') })
        : 'it did not end'
    if (why !== undefined || entryAt(`${beads}/metadata.json`) === undefined) {
      throw new AppError('queue', `bd init made no database at ${beads}: ${why ?? 'it did not say why'}`, {
        hint: 'use fleet init --queue local, or see what bd init says in an empty directory',
      })
    }
  }
  tighten(looseIn(beads))
}
