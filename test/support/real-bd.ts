import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { scratchBase } from '../../scripts/scratch.mjs'
import { bdBinary } from '../differential/bd.ts'
import { scrubbed } from './cli.ts'

/** '' where it is not built; then the suites that need it are skipped, and say so. */
export const realBd: string = bdBinary

/** An environment in which `bd` is the real one. */
export function withRealBd(env: NodeJS.ProcessEnv = scrubbed()): NodeJS.ProcessEnv {
  return { ...env, PATH: `${dirname(realBd)}${delimiter}${env['PATH'] ?? ''}` }
}

export function bd(beads: string, argv: readonly string[]): string {
  const env = { ...scrubbed(), BEADS_DIR: beads, BD_NON_INTERACTIVE: '1', BD_DISABLE_METRICS: '1' }
  return execFileSync(realBd, [...argv], { cwd: '/', env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

let template = ''

/** A new database at this place. Making one takes bd seconds, so one is made and then copied. */
export function freshBeads(beads: string): void {
  if (template === '') {
    const folder = mkdtempSync(join(scratchBase(), 'fleet-beads-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    const made = join(folder, '.beads')
    bd(made, ['init', '--prefix', 'fleet', '--skip-agents', '--skip-hooks', '--non-interactive', '--quiet'])
    bd(made, ['config', 'set', 'status.custom', 'review:wip'])
    if (!existsSync(join(made, 'metadata.json'))) throw new Error('bd init made no database')
    template = made
  }
  mkdirSync(dirname(beads), { recursive: true })
  cpSync(template, beads, { recursive: true })
}
