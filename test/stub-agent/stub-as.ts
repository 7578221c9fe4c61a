import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryFolder } from '../support/cli.ts'

/** The stub agent; the comment at its head lists the possible steps. */
export const STUB = join(import.meta.dirname, 'stub.mjs')

export type Step = Readonly<Record<string, unknown>>

export interface Start {
  readonly task: string
  readonly run: string
  readonly pid: number
  readonly cwd: string
  readonly argv: readonly string[]
}

export interface Stub {
  /** Contains an executable with the coder's name. */
  readonly folder: string
  /** PATH with that folder first. */
  readonly path: string
  /** All starts so far, in order. */
  starts(): readonly Start[]
  /** Replaces the steps for later starts. */
  order(steps: readonly Step[] | readonly (readonly Step[])[]): void
}

/**
 * An executable with a coder's name that does these steps; a list of lists has one per start of the same task.
 * Without steps each task brings its own: a fenced ```stub block in the prompt. `uid`: the user who runs it.
 */
export function stubAs(name: string, steps?: readonly Step[] | readonly (readonly Step[])[], uid?: number): Stub {
  const base = temporaryFolder()
  if (uid !== undefined) chownSync(base, uid, uid)
  const folder = join(base, 'bin')
  const script = join(base, 'steps.json')
  const log = join(base, 'starts.jsonl')
  mkdirSync(folder)
  const stub: Stub = {
    folder,
    path: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    starts: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line))
        : [],
    order: (next) => writeFileSync(script, JSON.stringify(next)),
  }
  if (steps !== undefined) stub.order(steps)
  const env = {
    STUB_STARTS: log,
    STUB_VERSION: VERSIONS[name] ?? `${name} 1.0.0`,
    ...(steps && { STUB_SCRIPT: script }),
  }
  const assignments = Object.entries(env).map(([key, value]) => `export ${key}='${value}'`)
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n${assignments.join('\n')}\nexec '${process.execPath}' '${STUB}' "$@"\n`)
  chmodSync(file, 0o755)
  return stub
}

const VERSIONS: Readonly<Record<string, string>> = {
  claude: '2.1.325 (Claude Code)',
  codex: 'codex-cli 0.166.0',
  agy: '1.2.17',
}

/** Orders for the stub, to put into a task's description. */
export function stubBlock(steps: readonly Step[] | readonly (readonly Step[])[]): string {
  return `\`\`\`stub\n${JSON.stringify(steps)}\n\`\`\`\n`
}
