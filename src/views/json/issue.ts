import { ALWAYS_PRINTED, isEmptyValue, TASK_FIELDS, type Task } from '../../domain/task/task.ts'

/** A task as bd prints it: without empty fields, with carried fields at the end. */
export function issueJson(task: Task): Record<string, unknown> {
  const issue: Record<string, unknown> = {}
  for (const field of TASK_FIELDS) {
    if (field === 'extra') continue
    if (ALWAYS_PRINTED.has(field) || !isEmptyValue(task[field])) issue[field] = task[field]
  }
  return Object.assign(issue, task.extra)
}
