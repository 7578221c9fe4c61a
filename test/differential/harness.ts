import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import { scratchBase } from '../../scripts/scratch.mjs'
import { FLEET, type Ran, runBeside } from '../support/cli.ts'
import { withoutMoments } from './moments.ts'

/**
 * One script of commands, run through the real bd and through `fleet bd`, each on a store of its own. `{name}` in an
 * argument, in stdin or in a file stands for an id saved by an earlier step.
 */
export interface Script {
  readonly name: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly argv: readonly string[]
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** Written before the step, in the folder it runs in. */
  readonly files?: Readonly<Record<string, string>>
  /** Remember the id this step creates under this name. */
  readonly save?: string
  /**
   * bd is wrong here, or fleet does more: why the outputs may differ. The exit codes are compared unless `code` says
   * otherwise, and what fleet prints is compared with recorded-fleet/.
   */
  readonly differs?: string
  /** fleet's own exit code, where that differs too. */
  readonly code?: number
}

export interface Observed {
  readonly step: string
  readonly code: number | null
  readonly stdout: unknown
  readonly stderr: unknown
}

export type Side =
  | { readonly kind: 'bd'; readonly binary: string }
  | { readonly kind: 'fleet' }
  | { readonly kind: 'in-process'; readonly start: (folder: string, project: string) => Promise<Invoke> }

/** Splits like a shell would for simple cases: words, and 'single' or "double" quotes. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map((match) =>
    match[0].replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  )
}

/** A step from a command line, as in step('create "a title" -p 1', { save: 'a' }). */
export function step(line: string, more: Omit<Step, 'argv'> = {}): Step {
  return { argv: words(line), ...more }
}

export async function perform(script: Script, side: Side): Promise<Observed[]> {
  const folder = mkdtempSync(join(BASE, `fleet-diff-${side.kind}-`))
  try {
    const project = join(folder, 'project')
    mkdirSync(project)
    const invoke = await started(side, folder, project)
    const ids = new Map<string, string>()
    const observed: Observed[] = []
    const source = JSON.stringify(script.steps)
    for (const step of script.steps) {
      const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name) => ids.get(name) ?? whole)
      for (const [name, content] of Object.entries(step.files ?? {})) writeFileSync(join(project, name), fill(content))
      const ran = await invoke(step.argv.map(fill), { input: fill(step.stdin ?? ''), env: step.env ?? {} })
      if (step.save !== undefined) ids.set(step.save, createdId(ran, step))
      const line = step.argv.join(' ')
      const now = Date.now()
      const normalise = (text: string) => normal(withoutMoments(text, now, line), ids, folder, source)
      observed.push({ step: line, code: ran.code, stdout: normalise(ran.stdout), stderr: normalise(ran.stderr) })
    }
    return observed
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function started(side: Side, folder: string, project: string): Promise<Invoke> {
  switch (side.kind) {
    case 'bd':
      return realBd(side.binary, folder, project)
    case 'fleet':
      return fleetBd(folder, project)
    case 'in-process':
      return side.start(folder, project)
  }
}

export type Invoke = (
  argv: readonly string[],
  options: { input: string; env: Readonly<Record<string, string>> },
) => Promise<Ran>

const BASE = scratchBase()
export const ENV = { BEADS_ACTOR: 'tester', BD_NON_INTERACTIVE: '1', TZ: 'UTC' }

export async function realBd(binary: string, folder: string, project: string): Promise<Invoke> {
  const env = bdEnvironment(folder, project)
  cpSync(await emptyDatabase(binary), join(project, '.beads'), { recursive: true })
  return (argv, { input, env: more }) => runBeside(binary, argv, { cwd: project, input, env: { ...env, ...more } })
}

let made: Promise<string> | undefined

afterAll(async () => {
  if (made !== undefined) rmSync(dirname(await made), { recursive: true, force: true })
})

/** Made once and copied: bd takes seconds to make one. */
function emptyDatabase(binary: string): Promise<string> {
  made ??= (async () => {
    const folder = mkdtempSync(join(BASE, 'fleet-diff-empty-'))
    const argv = ['init', '--prefix', 'fleet', '--skip-agents', '--skip-hooks', '--non-interactive', '--quiet']
    const ran = await runBeside(binary, argv, { cwd: folder, env: bdEnvironment(folder, folder) })
    if (ran.code !== 0) throw new Error(`bd init failed: ${ran.stderr}`)
    return join(folder, '.beads')
  })()
  return made
}

function bdEnvironment(folder: string, project: string): NodeJS.ProcessEnv {
  writeFileSync(
    join(folder, 'gitconfig'),
    '[user]\n\tname = tester\n\temail = tester@example.com\n[beads]\n\trole = maintainer\n',
  )
  return {
    ...ENV,
    BEADS_DIR: join(project, '.beads'),
    HOME: folder,
    BD_DISABLE_METRICS: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
  }
}

async function fleetBd(folder: string, project: string): Promise<Invoke> {
  const env = { ...ENV, FLEET_HOME: join(folder, 'home'), HOME: folder }
  const ran = await runBeside(process.execPath, [FLEET, 'init'], { cwd: project, env })
  if (ran.code !== 0) throw new Error(`fleet init failed: ${ran.stderr}`)
  return (argv, { input, env: more }) =>
    runBeside(process.execPath, [FLEET, 'bd', ...argv], { cwd: project, input, env: { ...env, ...more } })
}

function createdId(ran: Ran, step: Step): string {
  const id = /\bfleet-[a-z0-9]+(?:\.\d+)*\b/.exec(ran.stdout)?.[0]
  if (id === undefined) throw new Error(`no id in the output of ${step.argv.join(' ')}: ${ran.stdout}${ran.stderr}`)
  return id
}

/** What may differ between two right answers besides the moments: ids, paths, versions, and fleet's own settings among the metadata. */
function normal(text: string, ids: ReadonlyMap<string, string>, folder: string, source: string): unknown {
  const byLength = [...ids].sort(([, a], [, b]) => b.length - a.length)
  // bd writes bold letters even into a pipe; fleet never does.
  let clean = text.replaceAll(folder, '<folder>').replaceAll(BOLD, '')
  for (const [name, id] of byLength) clean = clean.replaceAll(id, `{${name}}`)
  // An id made at random, which the script neither saved nor chose.
  clean = clean.replace(/\bfleet-[a-z0-9]{3,8}\b/g, (id) => (source.includes(id) ? id : '<id>'))
  clean = clean
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/(\.~[\w.]+)\.\d+/g, '$1.<n>')
    .replace(/Run 'fleet bd/g, "Run 'bd")
    .replace(/\b\d+ event/g, '<n> event')
    .replace(/\(\d+ms\)|"\w+_ms": \d+/g, (took) => took.replace(/\d+/, '0'))
    .replace(/\b\d+ days ago/g, '<n> days ago')
    .replace(/^\w{8} (<time>)\n {2}Author: .*/gm, '<commit> $1\n  Author: <who>')
    // bd pads what it renders as markdown to the width of a terminal.
    .replace(/[ \t]+$/gm, '')
    .replace(/^ {2}fleet: \{.*\}\n/gm, '')
    .replace(/\nMETADATA\n(?! {2})/g, '')
    // A person's claim has no lease in fleet.
    .replace(/\nLease: expires .*/, '')
  const json = parsed(clean)
  return json === undefined ? clean.trimEnd() : withoutOwn(json)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const BOLD = /\u001b\[1?m/g

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    const lines = text.trim().split('\n')
    try {
      return lines.map((line) => JSON.parse(line))
    } catch {
      return undefined
    }
  }
}

/** What only bd has: a person's claim with a lease, the version of a row, the git e-mail as owner, events it drops. */
const BD_ONLY = [
  'owner',
  'revision',
  'lease_expires_at',
  'heartbeat_at',
  'events_removed',
  'would_remove_events',
  'CommitHash',
  'Committer',
]

/** bd reads edges in the order of random keys. */
const UNORDERED = ['dependencies', 'dependents']

function ordered(value: unknown): unknown {
  const text = (each: unknown) => JSON.stringify(each)
  return Array.isArray(value) ? value.sort((a, b) => (text(a) < text(b) ? -1 : 1)) : value
}

/** fleet keeps a task's directory, coder and model in its metadata, and `create` repeats the issue as `data`. */
function withoutOwn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwn)
  if (typeof value !== 'object' || value === null) return value
  const own: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    if (BD_ONLY.includes(key) || (key === 'data' && 'id' in value)) continue
    const kept = withoutOwn(each)
    if (key === 'metadata' && typeof kept === 'object' && kept !== null) {
      const { fleet: _settings, ...rest } = kept as Record<string, unknown>
      if (Object.keys(rest).length > 0) own[key] = rest
    } else own[key] = UNORDERED.includes(key) ? ordered(kept) : kept
  }
  return own
}
