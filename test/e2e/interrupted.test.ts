import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Database } from '../../src/platform/sqlite/database.ts'
import { FLEET, scrubbed, type TestHome, testHome } from '../support/cli.ts'

/** Kills per round and signal, spread evenly from the command's start to 1.3 of the time it takes. */
const KILLS = 10
/** Rounds until some commands died and some completed: the machine may be busier than when the command was measured. */
const ROUNDS = 6

interface Interrupted {
  readonly name: string
  /** Commands that run before it. */
  readonly given: readonly (readonly string[])[]
  readonly argv: readonly string[]
}

const EPIC = ['bd', 'create', 'an epic', '-t', 'epic', '--id', 'fleet-epic']
const BLOCKER = ['bd', 'create', 'a blocker', '--id', 'fleet-blocker', '-l', 'old']
const WAITING = ['1', '2', '3'].map((n) => ['bd', 'create', n, '--id', `fleet-w${n}`, '--deps', 'fleet-blocker'])

const COMMANDS: readonly Interrupted[] = [
  {
    name: 'create with labels, a parent and a dependency',
    given: [EPIC, BLOCKER],
    argv: words('bd create half? --parent fleet-epic -l a,b --deps fleet-blocker'),
  },
  {
    name: 'update of labels and status',
    given: [BLOCKER],
    argv: words('bd update fleet-blocker --set-labels a,b -s in_progress -p 0'),
  },
  {
    name: 'close, which frees dependents in the same transaction',
    given: [BLOCKER, ...WAITING],
    argv: words('bd close fleet-blocker'),
  },
  {
    name: 'reopen, which holds them up again',
    given: [BLOCKER, ...WAITING, words('bd close fleet-blocker')],
    argv: words('bd reopen fleet-blocker'),
  },
  {
    name: 'delete with its edges',
    given: [BLOCKER, ...WAITING],
    argv: words('bd delete fleet-blocker --force'),
  },
  { name: 'import of 2,000 tasks', given: [], argv: words('bd import tasks.jsonl') },
  { name: 'export over an older export', given: [BLOCKER, ...WAITING], argv: words('bd export -o out.jsonl') },
  { name: 'config set', given: [], argv: words('config set max_concurrent=7') },
]

/** A killed command leaves the state before it or after it: nothing partial, nothing damaged. */
describe('SIGKILL and SIGINT leave nothing partial in the middle of', () => {
  test.for(COMMANDS.map((each) => [each.name, each] as const))('%s', async ([, { given, argv }]) => {
    const home = testHome()
    writeFileSync(join(home.project, 'tasks.jsonl'), twoThousandTasks())
    writeFileSync(join(home.project, 'out.jsonl'), 'an older export\n'.repeat(1000))
    for (const each of given) expect(home.fleet(each)).toMatchObject({ code: 0 })

    const start = rewindable(home)
    const before = state(home)
    const took: number[] = []
    for (let i = 0; i < 3; i++) {
      start()
      const began = performance.now()
      expect(await ended(home, argv)).toBe(0)
      took.push(performance.now() - began)
    }
    const after = state(home)
    expect(after).not.toEqual(before)

    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      let length = took.sort((a, b) => a - b)[1] ?? 0
      const ends = new Set<unknown>()
      for (let round = 0; round < ROUNDS && ends.size < 2; round++) {
        for (let i = 0; i < KILLS; i++) {
          start()
          const end = await ended(home, argv, { signal, afterMs: (1.3 * length * i) / (KILLS - 1) })
          expect([0, signal]).toContain(end)
          ends.add(end)
          if (end === 0) expect(state(home)).toEqual(after)
          else expect([before, after]).toContainEqual(state(home))
        }
        length *= ends.has(0) ? 0.7 : 1.5
      }
      expect(ends).toEqual(new Set([0, signal]))
      expect(home.bd(['create', 'the next command works']).code).toBe(0)
    }
  })
})

/** Returns a function that restores the present state, as often as needed. */
function rewindable(home: TestHome): () => void {
  const folders = [home.path, home.project]
  for (const folder of folders) cpSync(folder, `${folder}.before`, { recursive: true })
  return () => {
    for (const folder of folders) {
      rmSync(folder, { recursive: true })
      cpSync(`${folder}.before`, folder, { recursive: true })
    }
  }
}

/** Runs the command and kills it if asked to. Returns its exit code, or the signal it died of. */
async function ended(
  home: TestHome,
  argv: readonly string[],
  kill?: { readonly signal: NodeJS.Signals; readonly afterMs: number },
): Promise<number | NodeJS.Signals> {
  const env = { ...scrubbed(), FLEET_HOME: home.path }
  const child = spawn(process.execPath, [FLEET, ...argv], { cwd: home.project, env, stdio: 'ignore' })
  const timer = kill && setTimeout(() => child.kill(kill.signal), kill.afterMs)
  const [code, signal] = await once(child, 'exit')
  clearTimeout(timer)
  return code ?? signal
}

/** Everything that a command can change, without timestamps. */
function state(home: TestHome): { integrity: string; tasks: string; files: string } {
  using db = new Database(join(home.path, 'fleet.db'))
  const rows = (sql: string) => db.once(sql).all()
  return {
    integrity: JSON.stringify(rows('pragma integrity_check')),
    tasks: JSON.stringify([
      rows('select id, title, status, priority, is_blocked, closed_at is null as is_open from task order by id'),
      rows('select task, label from label order by task, label'),
      rows('select issue_id, depends_on_id, type from dependency order by issue_id, depends_on_id'),
      rows('select task, kind, actor from history order by seq'),
    ]),
    files: [join(home.path, 'runtime.toml'), join(home.project, 'out.jsonl')]
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n'),
  }
}

function twoThousandTasks(): string {
  const at = '2026-01-01T00:00:00Z'
  const task = (i: number) => ({
    _type: 'issue',
    id: `fleet-i${i}`,
    title: `task ${i}`,
    created_at: at,
    updated_at: at,
  })
  return Array.from({ length: 2000 }, (_, i) => `${JSON.stringify(task(i))}\n`).join('')
}

function words(line: string): string[] {
  return line.split(' ')
}
