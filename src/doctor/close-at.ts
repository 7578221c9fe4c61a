import type { Config } from '../config/schema.ts'
import type { Check } from './check.ts'

/** Nothing verifies a task yet: one that asks for it waits for a person, who learns the reason here. */
export function checkCloseAt({ close_at, projects }: Pick<Config, 'close_at' | 'projects'>): readonly Check[] {
  const paths = Object.keys(projects).filter((path) => projects[path]?.close_at === 'verified')
  const keys = [
    ...(close_at === 'verified' ? ['close_at'] : []),
    ...paths.map((path) => `projects.${JSON.stringify(path)}.close_at`),
  ]
  if (keys.length === 0) return []
  return [
    {
      name: 'close_at',
      state: 'warn',
      found: `${keys.join(', ')} asks for verified, but fleet runs no checks of a project yet: such a task waits for your review`,
      todo: 'look at its work and fleet bd close <id>, or set close_at to evidenced',
    },
  ]
}
