import type { HomeStore } from '../../app.ts'
import { lookedAt } from '../../config/in-force.ts'
import { programsChangedText } from '../../domain/landing/after-landing.ts'
import { type Landing, NEEDS_LANDING } from '../../domain/landing/landing.ts'
import { type ChangedProgram, changedPrograms } from '../../domain/landing/trust.ts'
import { NEEDS_REVIEW } from '../../domain/run/review.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Task } from '../../domain/task/task.ts'
import type { Home } from '../../platform/files/home.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { type RepositoryPrograms, repositoryPrograms } from '../../platform/git/repository-programs.ts'
import { userConfigInForce } from '../../store/user-git.ts'

/** Work that has passed, and whose landing waits until a person has looked at hooks, filters or configuration. */
export interface StoppedLanding {
  readonly landing: Landing
  /** In a sentence. */
  readonly why: string
}

export function stoppedLanding(
  { ledger }: Pick<HomeStore, 'ledger'>,
  { id, status, labels }: Pick<Task, 'id' | 'status' | 'labels'>,
  run: Run | undefined,
): StoppedLanding | undefined {
  if (status !== 'blocked' || !labels.includes(NEEDS_REVIEW) || !labels.includes(NEEDS_LANDING)) return undefined
  const landing = ledger.landings.of(id)
  if (landing === undefined || landing.run !== run?.id || ENDS.has(landing.state.at)) return undefined
  return { landing, why: programsChangedText(id, ledger.landings.trusted(landing.repository)) }
}

const ENDS: ReadonlySet<Landing['state']['at']> = new Set(['accepting', 'settling', 'over'])

/** A hook or a setting, and how it stands in the repository now. */
export interface ShownProgram extends ChangedProgram {
  /** null: it is gone. */
  readonly text: string | null
}

/** Those that are not as they were before agents worked in the repository; '' for a text that is no text. */
export async function shownPrograms(
  home: Home,
  { ledger, record }: HomeStore,
  { landing: { repository } }: StoppedLanding,
): Promise<readonly ShownProgram[]> {
  const checkout = checkoutIn(repository)
  if (checkout === undefined) return []
  const config = () => userConfigInForce(process.env, (path) => lookedAt(home, path, record))
  const now = await repositoryPrograms(checkout, { config })
  const before = ledger.landings.trusted(repository)?.parts ?? {}
  return changedPrograms(before, now.parts).map((each) => ({ ...each, text: textOf(each.name, now) }))
}

function textOf(name: string, { settings, hooks, attributes, parts }: RepositoryPrograms): string | null {
  if (parts[name] === undefined) return null
  if (name === 'info/attributes') return attributes?.toString('utf8') ?? null
  if (name === 'folder of the hooks') return hooks.elsewhere ?? null
  if (name.startsWith('setting ')) {
    const key = name.slice('setting '.length)
    return settings.flatMap(([each, value]) => (each === key ? [value] : [])).join('\n')
  }
  const file = hooks.files.find(({ path }) => `hook ${path}` === name)
  return file === undefined || file.bytes.includes(0) ? '' : file.bytes.toString('utf8')
}
