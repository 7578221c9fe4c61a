import type { Config } from '../config/schema.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { findProgram } from '../platform/process/program.ts'
import { findCoder } from '../store/home-coders.ts'
import type { Check } from './check.ts'

type Settings = Pick<Config, 'projects' | 'coders'>

/** The coders that review others' work. */
export function reviewersIn({ projects }: Pick<Settings, 'projects'>): ReadonlySet<string> {
  return new Set(Object.values(projects).flatMap(({ review_by: name }) => name ?? []))
}

/** Reviewers that cannot review here: every finished task of their projects would wait for a person. */
export async function checkReviewers(
  { projects, coders }: Settings,
  { home, env }: { home: Home; env: NodeJS.ProcessEnv },
): Promise<readonly Check[]> {
  const checks: Check[] = []
  for (const [path, { review_by: name }] of Object.entries(projects)) {
    const why = name === undefined ? undefined : await problemOf(name, { home, env, coders })
    if (why === undefined) continue
    const key = `projects.${JSON.stringify(path)}.review_by`
    checks.push({
      name: 'review_by',
      state: 'warn',
      found: `${key} is ${name}, which cannot review: ${why.found}; every finished task there waits for your review`,
      todo: `${why.todo === undefined ? '' : `${why.todo}, or `}fleet config set '${key}=<coder>' (claude or codex)`,
    })
  }
  return checks
}

interface Why {
  readonly found: string
  readonly todo?: string
}

async function problemOf(
  name: string,
  { home, env, coders }: { home: Home; env: NodeJS.ProcessEnv; coders: Config['coders'] },
): Promise<Why | undefined> {
  try {
    const coder = await findCoder(name, { home, blocks: coders, versionOf: async () => undefined })
    if (coder === undefined) return { found: 'fleet knows no such coder' }
    if (coder.launchReviewer === undefined) return { found: `fleet knows no read-only mode of ${name}` }
    if (findProgram(coder.binary, env) !== undefined) return undefined
    return { found: `${coder.binary} is not on PATH, or not executable`, todo: `install ${coder.binary}` }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { found: error.message }
  }
}
