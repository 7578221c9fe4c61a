type Environment = Readonly<Record<string, string | undefined>>

/**
 * For fleet's own git commands. Git works on the repository that fleet names, not on the one of a git hook or alias around
 * fleet; it never prompts, takes no optional locks, and prints messages in English. Configuration stays, also where it
 * comes from the environment: a checkout may be readable only with it (`safe.directory`).
 */
export function gitEnvironment(env: Environment): Record<string, string | undefined> {
  return { ...outsideRepository(env), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
}

/** Without the variables by which a git hook or alias points git at its own repository. */
function outsideRepository(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !pointsAtRepository(name)))
}

export function pointsAtRepository(variable: string): boolean {
  return POINTS_AT_REPOSITORY.has(variable)
}

/** The output of `git rev-parse --local-env-vars`, without the variables that carry configuration. */
const POINTS_AT_REPOSITORY = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  // Of a receiving hook: git refuses to update any ref while it is set.
  'GIT_QUARANTINE_PATH',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
])
