import type { Config } from '../config/schema.ts'
import { missingProgram } from '../platform/process/missing-program.ts'
import type { Check } from './check.ts'

type Settings = Pick<Config, 'close_at' | 'projects'>

/** A task that must be verified, and that nothing can verify, waits for a person, who learns the reason here. */
export function checkCloseAt({ close_at, projects }: Settings): readonly Check[] {
  const paths = Object.keys(projects).filter((path) => {
    const { close_at: own = close_at, verify = [] } = projects[path] ?? {}
    return own === 'verified' && verify.length === 0
  })
  const isAnyVerified = Object.values(projects).some(({ verify = [] }) => verify.length > 0)
  const keys = [
    ...(close_at === 'verified' && !isAnyVerified ? ['close_at'] : []),
    ...paths.filter((path) => projects[path]?.close_at === 'verified').map((path) => keyOf(path, 'close_at')),
  ]
  if (keys.length === 0) return []
  const path = paths[0] ?? '<path>'
  return [
    {
      name: 'close_at',
      state: 'warn',
      found: `${keys.join(', ')} asks for verified, but there is no verify command for it: such a task waits for your review`,
      todo: `fleet config set '${keyOf(path, 'verify')}=<command>', or set close_at to evidenced`,
    },
  ]
}

/** The commands that cannot be run as they stand: every task of their project would wait for a person. */
export function checkVerify({ projects }: Pick<Settings, 'projects'>, env: NodeJS.ProcessEnv): readonly Check[] {
  return Object.entries(projects).flatMap(([path, { verify = [] }]) =>
    verify.flatMap(({ command }) => {
      const missing = missingProgram(command, { cwd: path, env })
      if (missing === undefined) return []
      const found = `${keyOf(path, 'verify')} cannot be run: ${missing.why}`
      return [{ name: 'verify', state: 'warn' as const, found, todo: `fleet config set '${keyOf(path, 'verify')}=…'` }]
    }),
  )
}

function keyOf(path: string, key: string): string {
  return `projects.${JSON.stringify(path)}.${key}`
}
