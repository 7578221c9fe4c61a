import { openLocalQueue } from '../../src/app.ts'
import type { TaskRecord } from '../../src/domain/task/interchange.ts'
import { BLANK_TASK } from '../../src/domain/task/task.ts'
import { Home } from '../../src/platform/files/home.ts'
import { projectTask } from '../../src/store/task-file.ts'

/** Fills a home: `seed <home> {"tasks":N,"dependencies":M}`. Same plan, same tasks. */

interface Plan {
  readonly tasks: number
  /** Spread over all tasks but the first twentieth, which stays ready. */
  readonly dependencies?: number
  /** The script of each task, and its directory. */
  readonly script?: string
  readonly cwd?: string
}

async function seed(path: string, plan: Plan): Promise<void> {
  const home = new Home(path)
  await using queue = openLocalQueue(home)
  const tasks = [...records(plan)]
  await queue.import(tasks, {}, 'bench')
  // As `fleet bd create` makes them. Tasks of the large queues are claimed, never run.
  if (plan.script !== undefined) for (const task of tasks) projectTask(home, task)
}

function* records(plan: Plan): Iterable<TaskRecord> {
  const { tasks, dependencies = 0 } = plan
  const random = lehmer(42)
  const free = dependencies === 0 ? tasks : Math.ceil(tasks / 20)
  for (let i = 0; i < tasks; i++) {
    const edges = i < free ? 0 : share(dependencies, tasks - free, i - free)
    const targets = new Set<number>()
    while (targets.size < edges) targets.add(random(i))
    yield record(i, [...targets], plan)
  }
}

/** The share of part `i` when `total` is dealt evenly over `parts`. */
function share(total: number, parts: number, i: number): number {
  return Math.floor(((i + 1) * total) / parts) - Math.floor((i * total) / parts)
}

const AT = '2026-01-01T00:00:00Z'
const id = (i: number): string => `fleet-${i.toString(36).padStart(4, '0')}`

function record(i: number, targets: readonly number[], { script, cwd = '/home/someone/project' }: Plan): TaskRecord {
  return {
    ...BLANK_TASK,
    id: id(i),
    title: `Task number ${i}`,
    description: script ?? `What is to be done in task ${i}, in a sentence of ordinary length.`,
    priority: i % 5,
    created_at: AT,
    created_by: 'bench',
    updated_at: AT,
    metadata: { fleet: { cwd } },
    comments: [],
    dependencies: targets.map((target) => ({
      issue_id: id(i),
      depends_on_id: id(target),
      type: 'blocks',
      created_at: AT,
      created_by: 'bench',
      metadata: '',
      thread_id: '',
    })),
  }
}

/** A small generator of whole numbers below a bound, with the same sequence every time. */
function lehmer(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (state * 48271) % 0x7fffffff
    return state % below
  }
}

const [home = '', plan = '{}'] = process.argv.slice(2)
seed(home, JSON.parse(plan))
