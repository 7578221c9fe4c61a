import type { Worktree } from '../../domain/run/worktree.ts'
import type { Database } from '../../platform/sqlite/database.ts'

/** The worktrees of tasks, as rows of the store. */

const COLUMNS =
  'task, repository, folder, path, branch, base, target, state, made_at as madeAt, ready_at as readyAt, set_up as setUp'

type Row = Omit<Worktree, 'setUp'> & { readonly setUp: string | null }

function worktreeOf({ setUp, ...row }: Row): Worktree {
  return { ...row, setUp: setUp === null ? null : JSON.parse(setUp) }
}

export function readWorktree(db: Database, task: string): Worktree | undefined {
  const row = db.sql<Row>(`select ${COLUMNS} from worktree where task = ? and state <> 'removing'`).get(task)
  return row && worktreeOf(row)
}

export function readWorktrees(db: Database): Worktree[] {
  return db.sql<Row>(`select ${COLUMNS} from worktree order by made_at, task`).all().map(worktreeOf)
}

export function writeWorktree(db: Database, worktree: Worktree): void {
  const { task, repository, folder, path, branch, base, target, state, madeAt, readyAt, setUp } = worktree
  db.sql(
    `insert into worktree (task, repository, folder, path, branch, base, target, state, made_at, ready_at, set_up)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (task) do update set repository = excluded.repository, folder = excluded.folder, path = excluded.path,
       branch = excluded.branch, base = excluded.base, target = excluded.target, state = excluded.state,
       made_at = excluded.made_at, ready_at = excluded.ready_at, set_up = excluded.set_up`,
  ).run(
    task,
    repository,
    folder,
    path,
    branch,
    base,
    target,
    state,
    madeAt,
    readyAt,
    setUp === null ? null : JSON.stringify(setUp),
  )
}

export function deleteWorktree(db: Database, task: string): void {
  db.sql(`delete from worktree where task = ? and state = 'removing'`).run(task)
}
