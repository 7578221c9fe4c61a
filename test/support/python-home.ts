import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bd, freshBeads } from './real-bd.ts'

/** A home as the Python fleet leaves it: bd's database, runtime.toml, folders of tasks, and no fleet.db. */

export interface PythonTask {
  readonly id: string
  readonly title: string
  readonly status?: string
  readonly description?: string
  readonly assignee?: string
  readonly notes?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly dependsOn?: string
  /** Files of its folder; without any, it has no folder. */
  readonly files?: Readonly<Record<string, string>>
}

export const PYTHON_TOML = `# my fleet
max_concurrent = 4   # the machine is small
coder = "shell"
retry_limit = 5
max_attempt_minutes = 45
stall_warning_minutes = 15
stall_action = "kill"
context_kill_pct = 85
telegram_chat_id = 12345
serve_port = 7890 # the page
isolation = "worktree"
`

export function pythonHome(path: string, tasks: readonly PythonTask[], toml = PYTHON_TOML): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  freshBeads(join(path, '.beads'))
  writeFileSync(join(path, 'runtime.toml'), toml)
  mkdirSync(join(path, 'logging'))
  writeFileSync(join(path, 'logging', 'fleet.jsonl'), '{"event":"claimed"}\n')
  const input = tasks.map((task) => `${JSON.stringify(lineOf(task))}\n`).join('')
  bd(join(path, '.beads'), ['--actor=python', 'import', '-'], input)
  for (const { id, files = {} } of tasks) {
    for (const [name, text] of Object.entries(files)) {
      const file = join(path, 'tasks', id, name)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, text)
    }
  }
}

function lineOf({
  id,
  title,
  status = 'open',
  dependsOn,
  files: _files,
  ...rest
}: PythonTask): Record<string, unknown> {
  const at = '2026-09-01T10:00:00Z'
  const edge = { issue_id: id, depends_on_id: dependsOn, type: 'blocks', created_at: at, created_by: 'python' }
  return {
    _type: 'issue',
    id,
    title,
    status,
    priority: 2,
    issue_type: 'task',
    created_at: at,
    updated_at: at,
    ...(status === 'closed' ? { closed_at: at, close_reason: 'done' } : {}),
    ...(dependsOn === undefined ? {} : { dependencies: [edge] }),
    ...rest,
  }
}
