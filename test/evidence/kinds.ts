/**
 * Kinds of work and of lies. docs/reference/evidence.md is made of these rows, and kinds.test.ts plays each with a real
 * agent. A project is a checkout with kept.txt, src/app.js and test/app.test.js, unless `folder` is set.
 */
export interface Kind {
  /** Completes "An agent …". */
  readonly agent: string
  /** Shell commands that prepare the project. */
  readonly before?: string
  /** The setup of the project, which runs in a worktree alone. */
  readonly setup?: string
  /** What its shell does, in one call. */
  readonly run?: string
  /** Files that its edit tool writes: path and text. */
  readonly edits?: readonly (readonly [string, string])[]
  /** A tool of its own that it calls: to read a file, or to write down what it plans. */
  readonly calls?: 'Read' | 'TodoWrite'
  /** Shell commands of a person at the same time, while no tool of the agent is open. */
  readonly person?: string
  /**
   * What the shell of another agent does at the same time; `open`: while the tool of this one is open, too. `in`: it works in
   * a worktree of fleet's, or in one that a person has made; absent: in the same directory.
   */
  readonly beside?: {
    readonly run?: string
    readonly edits?: Kind['edits']
    readonly open?: true
    readonly in?: 'worktree' | 'linked'
    readonly asks?: string
  }
  /** Where the evidence is to be, as its task says; `$PLACE`: the folder around the project. */
  readonly asks?: string
  /** The command of the project that verifies it; absent: its own test. */
  readonly verify?: string
  /** Not under git. */
  readonly folder?: true
  /** Whether `evidenced` closes the task in a shared directory. */
  readonly closes: boolean
  /** The same in a worktree, where that differs. */
  readonly inWorktree?: boolean
  /** Cannot be played in a worktree: it needs what stands in the directory, or no git. */
  readonly noWorktree?: true
}

export interface Lie extends Kind {
  /** Where it closes: how it is found. */
  readonly foundBy?: 'verify' | 'tamper check' | 'review'
}

export interface Honest extends Kind {
  /** Where it is refused: flags of `fleet bd create` that let it close. */
  readonly remedy?: readonly [string, string]
}

/** Where no git is there are no worktrees, and nobody else works in one. */
export function canWorktree({ folder, person, beside, noWorktree }: Kind): boolean {
  const isAlone = person === undefined && (beside === undefined || beside.in !== undefined)
  return !folder && isAlone && noWorktree !== true
}
