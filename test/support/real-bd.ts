import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { scratchBase } from '../../scripts/scratch.mjs'
import { bdBinary } from '../differential/bd.ts'
import { scrubbed } from './cli.ts'
import { runFolder } from './run-folder.ts'

/** '' where it is not built; then the suites that need it are skipped, and say so. */
export const realBd: string = bdBinary

/** bd lives for a moment and many of them share two cores: collecting garbage, and side by side, only costs time. */
const FRUGAL = { GOGC: 'off', GOMAXPROCS: '1' }

/** An environment in which `bd` is the real one. */
export function withRealBd(env: NodeJS.ProcessEnv = scrubbed()): NodeJS.ProcessEnv {
  return { ...env, ...FRUGAL, PATH: `${dirname(realBd)}${delimiter}${env['PATH'] ?? ''}` }
}

export function bd(beads: string, argv: readonly string[]): string {
  const env = { ...scrubbed(), ...FRUGAL, BEADS_DIR: beads, BD_NON_INTERACTIVE: '1', BD_DISABLE_METRICS: '1' }
  return execFileSync(realBd, [...argv], { cwd: '/', env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A new database at this place. Making one takes bd seconds, so one is made for the whole test run and then copied. */
export function freshBeads(beads: string): void {
  const template = join(runFolder(), 'empty-beads')
  if (!existsSync(template)) makeTemplate(template)
  mkdirSync(dirname(beads), { recursive: true })
  cpSync(template, beads, { recursive: true })
}

/** Of several files that begin at the same moment each makes one, and the first is kept. */
function makeTemplate(template: string): void {
  const folder = mkdtempSync(join(scratchBase(), 'fleet-beads-'))
  try {
    const made = join(folder, '.beads')
    bd(made, ['init', '--prefix', 'fleet', '--skip-agents', '--skip-hooks', '--non-interactive', '--quiet'])
    bd(made, ['config', 'set', 'status.custom', 'review:wip'])
    if (!existsSync(join(made, 'metadata.json'))) throw new Error('bd init made no database')
    if (!existsSync(template)) renameSync(made, template)
  } catch (error) {
    if (!existsSync(template)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
