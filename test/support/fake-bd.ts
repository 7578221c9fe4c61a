import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { scratchBase } from '../../scripts/scratch.mjs'
import type { LogEventName } from '../../src/domain/fleet/log-event.ts'
import { Bd } from '../../src/queues/beads/bd.ts'
import { Link } from '../../src/queues/beads/link.ts'
import { BeadsQueue } from '../../src/queues/beads/queue.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { scrubbed } from './cli.ts'

/** For `answers`: grants a claim, and exports the task as claimed. */
export const GRANTS = `
  case "$*" in *--claim*) ;; *) return 1 ;; esac
  id=\${4}
  sed "/\\"id\\":\\"$id\\"/s/\\"status\\":\\"open\\"/\\"status\\":\\"in_progress\\",\\"assignee\\":\\"fleet@here\\"/" $folder/shown >$folder/new
  mv $folder/new $folder/shown
  echo "[{\\"id\\":\\"$id\\",\\"status\\":\\"in_progress\\",\\"assignee\\":\\"fleet@here\\"}]"`

export type Line = Readonly<Record<string, unknown>> & { readonly id: string }

/**
 * A script in place of bd, for tests that depend only on its answers: `shows` sets its export, `answers` the body of a shell
 * function for all writing commands. `$journal` is the database file that changes with a write; '' means none.
 */
export function fakeBd({ version = '1.3.0', journal = '' } = {}) {
  const folder = mkdtempSync(join(scratchBase(), 'fleet-fake-bd-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const beads = join(folder, '.beads')
  mkdirSync(beads)
  writeFileSync(join(beads, 'metadata.json'), '{}')
  const noms = join(beads, 'embeddeddolt', 'fleet', '.dolt', 'noms')
  if (journal !== '') {
    mkdirSync(noms, { recursive: true })
    writeFileSync(join(noms, 'manifest'), 'one')
  }
  const script = join(folder, 'bd')
  const answers = (body: string): void => {
    writeFileSync(
      script,
      `#!/bin/sh
folder=${folder}
journal=${join(noms, journal)}
answer() {
${body}
}
input=$(cat)
echo "$* $input" | tr '\\n' ' ' >>$folder/calls
echo >>$folder/calls
case "$*" in
  *version*) echo '{"version":"${version}"}' ;;
  *export*) cat $folder/shown ;;
  *) answer "$@" ;;
esac
`,
    )
    chmodSync(script, 0o755)
  }
  const shows = (...lines: readonly Line[]): void => {
    const told = lines.map((line) => ({ _type: 'issue', title: line.id, status: 'open', priority: 2, ...line }))
    writeFileSync(join(folder, 'shown'), told.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
  answers('echo "{}"')
  shows()
  writeFileSync(join(folder, 'calls'), '')
  const env = { ...scrubbed(), PATH: `${folder}${delimiter}${process.env['PATH']}` }
  const db = openStore({ path: join(folder, 'fleet.db'), create: true })
  const clock = { millis: Date.now() }
  const logged: LogEventName[] = []
  const queue = new BeadsQueue(db, {
    bd: new Bd({ beads, env }),
    beads,
    clock: { now: () => clock.millis },
    log: (event, ..._fields) => void logged.push(event),
  })
  onTestFinished(() => queue[Symbol.asyncDispose]())
  const calls = (): readonly string[] => readFileSync(join(folder, 'calls'), 'utf8').split('\n').slice(0, -1)
  const link = new Link(db, { bd: new Bd({ beads, env }), beads, log: (event, ..._fields) => void logged.push(event) })
  const sync = async (): Promise<void> => void (await link.sync())
  return { sync, folder, beads, script, env, db, queue, clock, logged, answers, shows, calls }
}
