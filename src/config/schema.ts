import { DEFAULT_CODER, outputFormats } from '../coders/registry.ts'
import { PID_NAMESPACES } from '../domain/fleet/pid-namespace.ts'
import { LAND_AS } from '../domain/landing/plan.ts'
import { ISOLATIONS } from '../domain/run/isolation.ts'
import { SANDBOX_MODES, SANDBOX_NETWORKS } from '../domain/sandbox/sandbox.ts'
import {
  argv,
  branchName,
  duration,
  type Kind,
  names,
  oneOf,
  onOff,
  pathPairs,
  patterns,
  places,
  queueName,
  scopePatterns,
  size,
  text,
  variableNames,
  variables,
  verifyCommands,
  whole,
} from './kinds.ts'

/**
 * Every setting of runtime.toml, once: reading, messages, `config show`, the file `init` writes, the reference page and
 * the type of a read configuration all follow from this table. Every setting here is in force: something outside config/
 * reads it (test/config/in-force.test.ts). Settings whose feature does not exist yet are in not-yet.ts.
 */

const CLOSE_AT = oneOf(['evidenced', 'claimed', 'verified', 'reviewed'])
const CODER = text('the name of a coder', 'codex')
const KEPT = duration('30d', { none: true, least: '1s', most: '3650d' })
const ISOLATION = oneOf(ISOLATIONS)
const SANDBOX = oneOf(SANDBOX_MODES)
const MODEL = text('the name of a model', 'opus')

export const SETTINGS = section('', {
  max_concurrent: setting(whole(1, 1000, 5), 'agents at once', 3),
  coder: setting(CODER, 'who works on a task that names no coder', DEFAULT_CODER),
  model: optional(MODEL, "the model of that coder; without it, the coder's own default"),
  context_pressure_threshold_pct: setting(
    whole(1, 100, 80),
    "end a session when its prompt passes this share of the model's real context window",
    90,
  ),
  queue: setting(queueName, 'where the tasks are; chosen by fleet init', 'local'),
  max_attempts: setting(whole(1, 100, 5), 'counted attempts per task before it is blocked', 3),
  close_at: setting(CLOSE_AT, 'the evidence a task needs before it is closed', 'evidenced'),
  permissions: setting(
    oneOf(['full', 'workspace', 'settings']),
    "full: the coder's unattended mode, no gates; workspace: its edit-and-run-in-the-project mode or sandbox; settings: your own coder settings decide",
    'full',
  ),
  env_pass: setting(
    variableNames,
    'variables an agent gets as they are, although their names or values look like secrets or they belong to a model provider',
    [],
  ),
  isolation: setting(
    ISOLATION,
    'shared: an agent works in the directory of its task; worktree: in its own worktree of the repository, on a branch of its own',
    'shared',
  ),
  sandbox: setting(
    SANDBOX,
    'confine each agent by the operating system: it writes only its own places, and reads no logins of others; preferred: without where that does not work; required: nothing is started there',
    'off',
  ),
  sandbox_network: setting(oneOf(SANDBOX_NETWORKS), 'whether an agent in a sandbox has a network', 'on'),
  sandbox_write: setting(places, 'what agents in a sandbox may write besides, such as caches', []),
  sandbox_read: setting(places, 'what agents in a sandbox may read although it is hidden otherwise', []),
  sandbox_hide: setting(places, 'what agents in a sandbox may not read, besides logins and keys', []),
  lean: setting(onOff, 'start agents without your plugins, skills and MCP servers (project instructions stay)', false),
  pid_namespace: setting(
    oneOf(PID_NAMESPACES),
    'start each agent in a pid namespace, so that nothing it starts can outlive it; auto: as root, where it works; on: nothing is started where it does not work',
    'auto',
  ),
  timeouts: section('How long is too long', {
    first_event: setting(duration('90s'), 'from the start to the first event', '90s'),
    idle: setting(duration('5m'), 'silence while no tool is open', '10m'),
    // claude ends a command after ten minutes by itself, and its model goes on: a stop must not come first.
    tool: setting(
      duration('5m'),
      'silence while a shell command or another tool is open, and its processes rest',
      '12m',
    ),
    tool_mcp: setting(duration('20m'), 'silence while a call of an MCP server is open, and its processes rest', '15m'),
    tool_agent: setting(duration('30m'), 'silence while a sub-agent is open, and its processes and files rest', '20m'),
    after_result: setting(duration('1m'), 'from the result to the end of the process', '30s'),
    grace: setting(duration('20s'), 'from SIGTERM to SIGKILL', '10s'),
    wall: setting(duration('2h', { none: true }), 'one whole attempt', '60m'),
    verify: setting(duration('5m', { most: '1d' }), 'one verify command', '20m'),
    lease: setting(
      duration('5m', { least: '10s' }),
      'a machine without its shared queue: its agents are stopped before this is over, and their tasks continue elsewhere',
      '2m',
    ),
  }),
  limits: section('How much one agent may take', {
    memory: setting(
      size('4GB', { none: true, least: '50MB' }),
      'of memory, with everything that it starts; more ends the attempt as out-of-memory, with the largest processes as the reason',
      'none',
    ),
  }),
  retention: section('How long the raw output of attempts is kept after their end', {
    compress_after: setting(
      KEPT,
      'stdout, stderr, output of checks and events are compressed; fleet task reads them as before',
      '3d',
    ),
    remove_after: setting(KEPT, 'they, prompts, launch records and old log files are removed; receipts stay', '90d'),
  }),
  hosts: section('This machine among those that share a queue on a server', {
    name: optional(text('a name', 'build-3'), "what others call it, for --on; without it, the machine's own name"),
    labels: setting(names, 'what it is good for: a task with --on one of these may run here', []),
    paths: setting(pathPairs, 'where directories of other machines are on this one', {}),
    clone: optional(
      text('a directory', '~/fleet-clones'),
      'where to clone the repository of a task whose directory is not here; without it, such a task is left to others',
    ),
  }),
  projects: each('path', 'Tasks whose directory is at or below that path', {
    close_at: optional(CLOSE_AT, 'as above, for this project'),
    verify: optional(
      verifyCommands,
      'what work must pass before it is closed: run here with sh -c, after the agent has gone',
    ),
    tamper: optional(
      oneOf(['review', 'warn', 'off']),
      'work that passes only with its own version of the tests: a person decides; it is told on the receipt; or tests are not looked at',
    ),
    tamper_include: optional(
      patterns,
      'more files that count as tests or their configuration, as patterns of .gitignore; ! takes files out, such as "!go.mod"',
    ),
    by_products: optional(
      patterns,
      'more files that tools make again, as patterns of .gitignore; ! takes files out: a new one is no evidence, and an ignored one keeps no worktree',
    ),
    scope: optional(
      scopePatterns,
      'the paths that its tasks may write, from the top of the repository, such as "src/**"; ! takes paths out; a change elsewhere blocks the task until a person decides',
    ),
    read_only: optional(onOff, 'its tasks may change nothing of the project (off by default)'),
    coder: optional(CODER, 'as above, for this project'),
    model: optional(MODEL, 'as above, for this project'),
    isolation: optional(ISOLATION, 'as above, for this project'),
    sandbox: optional(SANDBOX, 'as above, for this project'),
    sandbox_network: optional(oneOf(SANDBOX_NETWORKS), 'as above, for this project'),
    sandbox_write: optional(places, 'what its agents in a sandbox may write besides'),
    setup: optional(
      text('a command line', 'npm ci'),
      'what makes a new worktree ready, run in it before the first agent; it gets FLEET_WORKTREE, FLEET_REPO, FLEET_BRANCH and FLEET_BASE',
    ),
    worktree_include: optional(
      patterns,
      'files that git ignores and a new worktree needs, as patterns of .gitignore; copied from your checkout, like those of .worktreeinclude',
    ),
    max_concurrent: optional(whole(1, 1000, 2), 'agents at once in this project'),
    review_by: optional(
      CODER,
      'another coder looks at the work, read-only, after the verify commands: it can send it back with reasons, never accept it for you',
    ),
    max_unreviewed: optional(
      whole(1, 1000, 5),
      'as soon as so many of its tasks wait for a review, no more are started',
    ),
    land: optional(
      oneOf(['auto', 'manual']),
      'bring the work of a worktree onto its target branch by itself (auto, the default), or when you say fleet land <id>',
    ),
    land_as: optional(
      oneOf(LAND_AS),
      'how it gets there: its commits one by one (the default), one commit for all of them, or its commits and a merge',
    ),
    target: optional(
      branchName,
      'the branch that the work is for; without it, the one checked out when the task was made',
    ),
    push: optional(onOff, 'push the target branch after a landing, never by force (off by default)'),
  }),
  coders: each('name', 'A coder of your own, or what you want different for a known one', {
    command: optional(
      argv,
      'program and arguments; {prompt_file} {model} {cwd} {session} are filled in, and without {prompt_file} the prompt is on stdin',
    ),
    format: optional(
      oneOf(outputFormats()),
      'what it prints; a coder of your own prints text unless this says otherwise',
    ),
    model: optional(MODEL, 'its default model'),
    context_window: optional(whole(1000, 1e9, 200_000), 'in tokens, where nothing better is known'),
    resume: optional(argv, 'program and arguments that resume a {session}'),
    env: optional(variables, 'variables it gets'),
    claim: optional(
      oneOf(['explicit', 'exit']),
      'how it says that it is done: explicit (fleet done) or exit (status 0)',
    ),
  }),
})

export type Config = Typed<typeof SETTINGS>

export interface Setting<T> {
  readonly node: 'setting'
  readonly kind: Kind<Exclude<T, undefined>>
  /** One line. */
  readonly meaning: string
  /** As it would stand in the file; undefined: nothing. */
  readonly default: unknown
}

export interface Section<S extends Members = Members> {
  readonly node: 'section'
  readonly meaning: string
  readonly members: S
}

/** A table of sections of the same form, each under a name of the user's: `[projects."/a/b"]`. */
export interface Each<S extends Members = Members> {
  readonly node: 'each'
  readonly name: string
  readonly meaning: string
  readonly section: Section<S>
}

export type Members = Readonly<Record<string, Setting<unknown> | Section | Each>>

export type Typed<N> =
  N extends Setting<infer T>
    ? T
    : N extends Section<infer S>
      ? { readonly [K in keyof S]: Typed<S[K]> }
      : N extends Each<infer S>
        ? Readonly<Record<string, Typed<Section<S>>>>
        : never

function setting<T>(kind: Kind<T>, meaning: string, fallback: unknown): Setting<T> {
  return { node: 'setting', kind: kind as Kind<Exclude<T, undefined>>, meaning, default: fallback }
}

function optional<T>(kind: Kind<T>, meaning: string): Setting<T | undefined> {
  return { node: 'setting', kind: kind as Kind<Exclude<T, undefined>>, meaning, default: undefined }
}

function section<S extends Members>(meaning: string, members: S): Section<S> {
  return { node: 'section', meaning, members }
}

function each<S extends Members>(name: string, meaning: string, members: S): Each<S> {
  return { node: 'each', name, meaning, section: section(meaning, members) }
}
