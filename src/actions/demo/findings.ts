import { join } from 'node:path'
import { openLocalStore } from '../../app.ts'
import type { Receipt } from '../../domain/run/receipt.ts'
import type { Run } from '../../domain/run/run.ts'
import { readText } from '../../platform/files/files.ts'
import { walk } from '../../platform/files/walk.ts'
import { attemptFolder } from '../../views/task-file.ts'
import type { DemoIds, DemoPlace } from './demo-home.ts'
import { DEMO_TASKS, type DemoTask } from './tasks.ts'

/** The result of a demo, read when its supervisor has ended. */
export interface Findings {
  readonly tasks: readonly Finding[]
  readonly files: readonly { readonly path: string; readonly size: number }[]
  readonly report: string
}

export interface Finding {
  readonly task: DemoTask
  readonly id: string
  readonly status: string
  readonly runs: readonly Run[]
  /** Of the last run. */
  readonly receipt: Receipt | undefined
}

export async function findingsAt({ home, project }: DemoPlace, ids: DemoIds): Promise<Findings> {
  await using store = openLocalStore(home, { readOnly: true })
  const tasks: Finding[] = []
  for (const task of DEMO_TASKS) {
    const id = ids.get(task.key) as string
    const runs = store.ledger.runsOf(id)
    const folder = attemptFolder(home.task(id), runs.at(-1)?.attempt ?? 1)
    const receipt = readText(join(folder, 'receipt.json'))
    tasks.push({
      task,
      id,
      status: (await store.queue.get(id))?.status ?? '',
      runs,
      receipt: receipt === undefined ? undefined : (JSON.parse(receipt) as Receipt),
    })
  }
  const files: { path: string; size: number }[] = []
  await walk(project, { maxEntries: 1000, maxMs: 1000, skips: (path) => path === '.git' }, (file) => files.push(file))
  return {
    tasks,
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    report: readText(join(project, 'REPORT.md')) ?? '',
  }
}
