import type { Progress } from '../../actions/action-context.ts'

export function progressLine(progress: Progress): string {
  switch (progress.kind) {
    case 'tasks-ending':
      return `waiting for ${progress.tasks.join(', ')} to end; after timeouts.grace fleet kills what is left`
    case 'task-ending-elsewhere':
      return `waiting for ${progress.task} to end on ${progress.machine}`
    case 'machine-answering':
      return `waiting for ${progress.machine}`
    case 'supervisor-stopping':
      return 'waiting for the agents to end'
    case 'draining':
      return `draining: ${progress.agents} running`
  }
}
