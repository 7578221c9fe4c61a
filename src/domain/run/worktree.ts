/**
 * The worktree of a task: a checkout of its repository that nobody else works in, at the same path for all of its attempts.
 * Kept in the ledger, and written there before anything is made.
 */
export interface Worktree {
  readonly task: string
  /** The top folder of the checkout that the task's directory lies in: the primary checkout. */
  readonly repository: string
  /** The directory of the task below it; '' for the folder itself. */
  readonly folder: string
  readonly path: string
  readonly branch: string
  /** The commit that its branch began at. Everything since is the task's own. */
  readonly base: string
  /** The branch that its work is for; null: HEAD was detached. */
  readonly target: string | null
  /**
   * `making`: perhaps not there yet. `made`: whole, but not set up. `ready`: an agent can work there. `removing`: out of its
   * place; what remains of it is its branch, perhaps.
   */
  readonly state: 'making' | 'made' | 'ready' | 'removing'
  readonly madeAt: number
  /** After its first setup, and before an agent worked there; null: it was never ready. */
  readonly readyAt: number | null
  /** The changes of its setup, which are no work of the task; null: it has none. */
  readonly setUp: SetUp | null
}

export interface SetUp {
  /** By path below it: the time of its change and, after a space, a stamp of its content if known. */
  readonly files: Readonly<Record<string, string>>
  /** false: `files` is incomplete, and for other paths the time of a change decides. */
  readonly whole: boolean
}

/** How many names are tried before a task is refused. */
const MOST_NAMES = 20

/**
 * A name for the branch of a task that no branch has. `taken`: the branches of the repository. A file system that ignores
 * case has one file for two names that differ by it, and no file beside a folder of its name.
 */
export function freeBranch(task: string, taken: readonly string[]): string | undefined {
  const lower = taken.map((each) => each.toLowerCase())
  const isFree = (name: string): boolean => {
    const low = name.toLowerCase()
    return !lower.some((each) => each === low || each.startsWith(`${low}/`) || low.startsWith(`${each}/`))
  }
  return namesFor(task).find(isFree)
}

function namesFor(task: string): readonly string[] {
  const numbers = Array.from({ length: MOST_NAMES }, (_, i) => (i === 0 ? '' : `-${i + 1}`))
  return ['fleet/', 'fleet-'].flatMap((prefix) => numbers.map((number) => `${prefix}${task}${number}`))
}

/** The message of the commit that keeps what an agent left uncommitted. */
export function keepingMessage({ task, title, attempt }: { task: string; title: string; attempt: number }): string {
  const subject =
    title
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, 72) || task
  return `${subject}\n\nLeft uncommitted at the end of attempt ${attempt}.\n\nFleet-Task: ${task}\n`
}
