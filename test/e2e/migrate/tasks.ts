import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { FLEET, type Ran, type RunOptions, run, temporaryFolder } from '../../support/cli.ts'
import { onceInRun } from '../../support/run-folder.ts'

export interface MovingHome {
  readonly path: string
  readonly project: string
  fleet(argv: readonly string[], options?: RunOptions): Ran
  /** Throws if the command fails. */
  said(...argv: readonly string[]): string
}

export function movingHome(env: NodeJS.ProcessEnv = {}, words: readonly string[] = ['--queue', 'local']): MovingHome {
  const home = homeIn(temporaryFolder(), env)
  mkdirSync(home.project)
  home.said('init', ...words)
  return home
}

/** A local queue with one task of every kind, as if created here. */
export function filledHome(env: NodeJS.ProcessEnv = {}): MovingHome {
  const folder = temporaryFolder()
  cpSync(onceInRun('filled-home', fill), folder, { recursive: true })
  return homeIn(folder, env)
}

function homeIn(folder: string, env: NodeJS.ProcessEnv): MovingHome {
  const path = join(folder, 'home')
  const project = join(folder, 'project')
  const fleet = (argv: readonly string[], options: RunOptions = {}): Ran =>
    run(process.execPath, [FLEET, ...argv], {
      cwd: project,
      ...options,
      env: { FLEET_HOME: path, HOME: folder, ...env, ...options.env },
    })
  const said = (...argv: readonly string[]): string => {
    const ran = fleet(argv)
    if (ran.code !== 0) throw new Error(`fleet ${argv.join(' ')}: ${ran.stderr}${ran.stdout}`)
    return ran.stdout
  }
  return { path, project, fleet, said }
}

const at = (day: number) => `2026-03-0${day}T10:00:00Z`
const task = (id: string, fields: object) => ({
  id,
  title: `Task ${id}`,
  status: 'open',
  priority: 2,
  issue_type: 'task',
  created_at: at(1),
  updated_at: at(2),
  ...fields,
})
const edge = (from: string, to: string, fields: object = {}) => ({
  issue_id: from,
  depends_on_id: to,
  type: 'blocks',
  created_at: at(1),
  created_by: 'anna',
  metadata: '{}',
  ...fields,
})

/** Together these use every property a queue can hold. */
const LINES: readonly object[] = [
  task('fleet-aaa', {
    title: 'Odd "words" & <signs> 🎈',
    description: 'two\nlines',
    status: 'my_own',
    issue_type: 'strange',
    metadata: { fleet: { cwd: '/', coder: 'shell' }, z: 1, a: { deep: [1.5, null] } },
    labels: ['é', 'b', 'a'],
    dependencies: [
      edge('fleet-aaa', 'fleet-bbb', { metadata: '{"gate":"any"}', thread_id: 'th1' }),
      edge('fleet-aaa', 'external:web:login', { type: 'tracks' }),
    ],
    comments: [
      { id: 'c1', issue_id: 'fleet-aaa', author: 'anna', text: 'one', created_at: at(1) },
      { id: 'c2', issue_id: 'fleet-aaa', author: 'ben', text: 'two\nlines', created_at: at(1) },
    ],
  }),
  task('fleet-bbb', {
    status: 'closed',
    assignee: 'anna',
    owner: 'ben',
    created_by: 'carl',
    started_at: at(1),
    closed_at: at(2),
    close_reason: 'done',
    closed_by_session: 's1',
  }),
  task('fleet-ccc', { ephemeral: true, labels: ['w'] }),
  task('fleet-ddd', { is_template: true }),
  task('fleet-eee', {
    status: 'deferred',
    defer_until: '2037-01-01T00:00:00Z',
    due_at: '2037-02-01T00:00:00Z',
    pinned: true,
    estimated_minutes: 30,
    external_ref: 'gh-1',
    spec_id: 'sp',
    design: 'd',
    acceptance_criteria: 'ac',
    notes: 'n',
  }),
  task('other-fff', { status: 'in_progress', assignee: 'anna', issue_type: 'epic', started_at: at(1), priority: 0 }),
  task('fleet-ggg', { status: 'blocked', issue_type: 'bug', source_system: 'jira', await_type: 'timer', payload: 'p' }),
  task('fleet-hhh', { dependencies: [edge('fleet-hhh', 'other-fff', { type: 'parent-child' })] }),
]

/** Changes some tasks by commands, so that there is history too. */
function fill(folder: string): void {
  const home = homeIn(folder, {})
  mkdirSync(home.project)
  home.said('init', '--queue', 'local')
  const input = LINES.map((line) => `${JSON.stringify(line)}\n`).join('')
  const ran = home.fleet(['bd', 'import', '-'], { input })
  if (ran.code !== 0) throw new Error(ran.stderr)
  home.said('bd', 'create', 'By hand', '--coder', 'shell', '--model', 'm', '-l', 'x')
  home.said('bd', 'comment', 'fleet-bbb', 'late')
  home.said('bd', 'delete', home.said('bd', 'q', 'soon gone').trim(), '--force')
}

/** The queue's export by id, independent of the order of keys, which bd chooses itself. */
export function exported(home: MovingHome): unknown {
  const lines = home.said('bd', 'export', '--all').trim().split('\n')
  const tasks = lines.map((line) => JSON.parse(line) as { id: string; dependencies?: Edge[] })
  for (const each of tasks) {
    each.dependencies?.sort((a, b) => (a.depends_on_id < b.depends_on_id ? -1 : 1))
    for (const dependency of each.dependencies ?? []) dependency.metadata = JSON.parse(String(dependency.metadata))
  }
  return tasks.sort((a, b) => (a.id < b.id ? -1 : 1))
}

interface Edge {
  depends_on_id: string
  metadata: unknown
}
