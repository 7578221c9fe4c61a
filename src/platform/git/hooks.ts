import { accessSync, chmodSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explainFile } from '../files/files.ts'
import { type ExecOptions, exec } from '../process/exec.ts'

/** Runs a hook if it can be run. Like git, it lets a shell run one without a first line that names its program. */
export async function runHook(path: string, options: ExecOptions): Promise<void> {
  if (!isHook(path)) return
  const run = await exec(path, options)
  if (run.kind !== 'not-started' || run.code !== 'ENOEXEC') return
  await exec('/bin/sh', { ...options, argv: [path, ...options.argv] })
}

/** Hooks that git calls while it changes refs and the index. */
const EARLY = ['reference-transaction', 'post-index-change']

/** A folder with these hooks alone. Each still runs in its own place, because hooks call scripts beside them. */
export function earlyHooks(hooks: string, folder: string): string {
  const early = join(folder, 'fleet-early-hooks')
  try {
    mkdirSync(early, { recursive: true, mode: 0o700 })
    for (const name of EARLY.filter((each) => isHook(join(hooks, each)))) {
      writeFileSync(join(early, name), `#!/bin/sh\nexec ${quoted(join(hooks, name))} "$@"\n`)
      chmodSync(join(early, name), 0o700)
    }
  } catch (error) {
    throw explainFile(error, early)
  }
  return early
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

function isHook(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
