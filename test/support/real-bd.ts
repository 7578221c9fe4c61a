import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { bdBinary } from '../differential/bd.ts'
import { scrubbed } from './cli.ts'
import { onceInRun } from './run-folder.ts'

/** '' if it is not built; then the suites that need it are skipped with a message. */
export const realBd: string = bdBinary

/** bd processes are short-lived and many share two cores: garbage collection and parallelism only cost time. */
export const FRUGAL = { GOGC: 'off', GOMAXPROCS: '1' }

/** An environment in which `bd` is the real one. */
export function withRealBd(file = realBd): NodeJS.ProcessEnv {
  const env = scrubbed()
  return { ...env, ...FRUGAL, PATH: `${dirname(file)}${delimiter}${env['PATH'] ?? ''}` }
}

export function bd(beads: string, argv: readonly string[], input = ''): string {
  const env = { ...scrubbed(), ...FRUGAL, BEADS_DIR: beads, BD_NON_INTERACTIVE: '1', BD_DISABLE_METRICS: '1' }
  return execFileSync(realBd, [...argv], { cwd: '/', env, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] })
}

/** The flag that bd requires since 1.3 to take a task from its holder. */
export function force(): readonly string[] {
  return updateFlags().includes('--force') ? ['--force'] : []
}

function updateFlags(): string {
  help ??= execFileSync(realBd, ['update', '--help'], { cwd: '/', env: scrubbed(), encoding: 'utf8' })
  return help
}

let help: string | undefined

/** The real bd with an `init` that copies a database: creating one takes bd seconds, and is tested separately. */
export function quickBd(): string {
  const tools = onceInRun('quick-bd', (folder) => {
    const script = `#!/bin/sh
[ "$1" = init ] && { mkdir -p "$BEADS_DIR" && exec cp -R '${template()}/.' "$BEADS_DIR"; }
exec '${realBd}' "$@"
`
    writeFileSync(join(folder, 'bd'), script, { mode: 0o755 })
  })
  return join(tools, 'bd')
}

/** Copies a new database to this path. */
export function freshBeads(beads: string): void {
  mkdirSync(dirname(beads), { recursive: true })
  cpSync(template(), beads, { recursive: true })
}

function template(): string {
  const folder = onceInRun('beads', (made) => {
    const beads = join(made, '.beads')
    bd(beads, ['init', '--prefix', 'fleet', '--skip-agents', '--skip-hooks', '--non-interactive', '--quiet'])
    // Older versions do not know categories of statuses.
    bd(beads, ['config', 'set', 'status.custom', updateFlags().includes('--force') ? 'review:wip' : 'review'])
    if (!existsSync(join(beads, 'metadata.json'))) throw new Error('bd init made no database')
    // Each bd reads the whole journal of its database, several times. Its own clean-up leaves a fifth less work per call.
    bd(beads, ['gc', '--skip-decay', '--force'])
  })
  return join(folder, '.beads')
}
