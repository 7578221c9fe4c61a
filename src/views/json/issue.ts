import { ALWAYS_PRINTED, saysNothing, TASK_FIELDS, type Task } from '../../domain/task/task.ts'

/** A task as bd prints it: empty fields left out, carried fields at the end. */
export function issueJson(task: Task): Record<string, unknown> {
  const issue: Record<string, unknown> = {}
  for (const field of TASK_FIELDS) {
    if (field === 'extra') continue
    if (ALWAYS_PRINTED.has(field) || !saysNothing(task[field])) issue[field] = task[field]
  }
  return Object.assign(issue, task.extra)
}
