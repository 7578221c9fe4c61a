import { withheldFromAgents } from '../coders/withheld-variables.ts'
import { assignmentOf } from '../domain/fleet/assignment.ts'
import type { HostPolicy, Policy } from '../domain/fleet/policy.ts'
import type { RunFlags } from '../domain/fleet/run-flags.ts'
import { isIsolation } from '../domain/run/isolation.ts'
import { isSandboxMode } from '../domain/sandbox/sandbox.ts'
import { absolutePath } from '../platform/files/paths.ts'
import { defaultsFor, projectFinder } from './defaults.ts'
import type { Config } from './schema.ts'

/** 1 GB: the most an agent may print in one run. */
const OUTPUT_BYTES = 1 << 30

/** Turns the configuration and the flags of this supervisor into values for its decisions. */
export function policyOf(config: Config, flags: RunFlags = {}): Policy {
  const { timeouts } = config
  const project = projectFinder(config)
  return {
    maxConcurrent: flags.max ?? config.max_concurrent,
    maxAttempts: config.max_attempts,
    permissions: config.permissions,
    lean: config.lean,
    withholds: withheldFromAgents(config.env_pass),
    pidNamespace: config.pid_namespace,
    limits: {
      firstEvent: timeouts.first_event,
      idle: timeouts.idle,
      tool: timeouts.tool,
      toolMcp: timeouts.tool_mcp,
      toolAgent: timeouts.tool_agent,
      afterResult: timeouts.after_result,
      grace: timeouts.grace,
      wall: timeouts.wall,
      contextPct: config.context_pressure_threshold_pct,
      outputBytes: OUTPUT_BYTES,
      memory: config.limits.memory,
    },
    lease: timeouts.lease,
    assignment: (settings) => {
      const defaults = defaultsFor(config, settings.cwd, project)
      // The task wins over the flags, the flags over the project. A model applies only to its own coder.
      const coder = flags.coder ?? defaults.project.coder
      const ofProject = flags.coder === undefined || flags.coder === defaults.project.coder
      const model = flags.model ?? (ofProject ? defaults.project.model : undefined)
      return assignmentOf(settings, {
        ...defaults,
        project: { ...(coder === undefined ? {} : { coder }), ...(model === undefined ? {} : { model }) },
      })
    },
    isolation: (settings) => {
      const { isolation = '' } = settings
      return isIsolation(isolation) ? isolation : (project(settings.cwd)?.table.isolation ?? config.isolation)
    },
    sandbox: (settings) => {
      const table = project(settings.cwd)?.table
      const { sandbox: own = '' } = settings
      return {
        mode: isSandboxMode(own) ? own : (table?.sandbox ?? config.sandbox),
        network: table?.sandbox_network ?? config.sandbox_network,
        write: [...config.sandbox_write, ...(table?.sandbox_write ?? [])],
        read: config.sandbox_read,
        hide: config.sandbox_hide,
      }
    },
    worktree: (cwd) => {
      const { setup, worktree_include: include = [] } = project(cwd)?.table ?? {}
      return { setup, include }
    },
    closeAt: (cwd) => project(cwd)?.table.close_at ?? config.close_at,
    verify: (cwd) => {
      const found = project(cwd)
      const commands = found?.table.verify
      return found === undefined || commands === undefined ? undefined : { path: found.path, commands }
    },
    tamper: (cwd) => project(cwd)?.table.tamper ?? 'review',
    byProducts: (cwd) => project(cwd)?.table.by_products ?? [],
    tamperInclude: (cwd) => project(cwd)?.table.tamper_include ?? [],
    scope: (cwd) => {
      const { scope, read_only: readOnly = false } = project(cwd)?.table ?? {}
      return { scope, readOnly }
    },
    verifyTimeout: timeouts.verify,
    projectCap: (cwd) => {
      const found = project(cwd)
      const cap = found?.table.max_concurrent
      return found === undefined || cap === undefined ? undefined : { path: found.path, cap }
    },
    reviewBy: (cwd) => project(cwd)?.table.review_by,
    maxUnreviewed: (cwd) => {
      const found = project(cwd)
      const most = found?.table.max_unreviewed
      return found === undefined || most === undefined ? undefined : { path: found.path, most }
    },
    holdsForReviews: Object.values(config.projects).some((each) => each.max_unreviewed !== undefined),
    landing: (cwd) => {
      const { land = 'auto', land_as: as = 'commits', target, push = false } = project(cwd)?.table ?? {}
      return { land, as, target, push }
    },
    coderEnv: (coder) => config.coders[coder]?.env ?? {},
    host: hostPolicy(config.hosts),
  }
}

function hostPolicy({ name, labels, paths, clone }: Config['hosts']): HostPolicy {
  const here = (path: string) => absolutePath(path, '/')
  return {
    name,
    labels,
    paths: Object.fromEntries(Object.entries(paths).map(([there, path]) => [there, here(path)])),
    clone: clone === undefined ? undefined : here(clone),
  }
}
