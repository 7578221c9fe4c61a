type Environment = Readonly<Record<string, string | undefined>>

/**
 * For git commands with which fleet looks. It holds nothing of the user's environment but where libraries are, so no secret
 * and no program's name; git finds no configuration, asks nothing, fetches nothing and writes nothing of its own accord.
 */
export function lookingEnvironment(env: Environment): Record<string, string | undefined> {
  const passed = Object.entries(env).filter(([name]) => LIBRARIES.has(name))
  return {
    ...Object.fromEntries(passed),
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: '/dev/null',
    XDG_CONFIG_HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // An agent could put another commit in the place of the one that its work is compared with.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_TRACE2: '0',
    GIT_TRACE2_EVENT: '0',
    GIT_TRACE2_PERF: '0',
  }
}

const LIBRARIES = new Set(['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH', 'DEVELOPER_DIR', 'TZ'])

/**
 * For git commands with which fleet writes. Git works on the repository that fleet names, not on the one of a git hook or alias around
 * fleet; it never prompts, takes no optional locks, and prints messages in English. Variables that would change its output
 * (GIT_TRACE, GIT_DIFF_OPTS) do not pass. Configuration and access pass: without them a checkout may not be readable
 * (`safe.directory`), or a remote not reachable.
 */
export function gitEnvironment(env: Environment): Record<string, string | undefined> {
  const passed = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || PASSED.test(name))
  return { ...Object.fromEntries(passed), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
}

const PASSED =
  /^GIT_(CONFIG|SSH|SSL|HTTP|LFS|PROXY|ASKPASS|EXEC_PATH|TEMPLATE_DIR|ALLOW_PROTOCOL|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)/

/** Whether a git hook or alias uses the variable to point git at its own repository. Agents do not inherit these. */
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
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  // Of a receiving hook: git refuses to update any ref while it is set.
  'GIT_QUARANTINE_PATH',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
])
