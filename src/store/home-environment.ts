import { withheldFromAgents } from '../coders/withheld-variables.ts'
import { agentEnvironment, inheritedEnvironment, projectEnvironment } from '../domain/agent/environment.ts'
import type { KnownSecrets } from '../domain/agent/known-secrets.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import type { Home } from '../platform/files/home.ts'
import type { Attempts } from '../ports/attempts.ts'
import type { Environment } from '../ports/environment.ts'

export interface HomeEnvironmentOptions {
  /** The supervisor's own environment. */
  readonly env: NodeJS.ProcessEnv
  readonly attempts: Attempts
  /** The folder with the `fleet` that agents call, checked now. */
  binFolder(): string
  readonly secrets: KnownSecrets
  policy(): Policy
}

/** The environment of this home's agents: the supervisor's own without its secrets, the user's for the coder, fleet's. */
export function homeEnvironment(
  home: Home,
  { env, attempts, binFolder, secrets, policy }: HomeEnvironmentOptions,
): Environment {
  const inherited = inheritedFrom(env)
  // A variable of a model provider may pass to agents; a project's checks need none.
  const ofAgents = withheldFromAgents()
  return {
    of({ id, task, attempt, coder, letterSecret, hooks }, more = {}) {
      const extra = { ...more, ...policy().coderEnv(coder) }
      secrets.noteGiven(policy().coderEnv(coder))
      secrets.note(more)
      return agentEnvironment(inherited(policy()), {
        home: home.path,
        taskId: task,
        runId: id,
        letterSecret,
        hooks,
        taskDir: attempts.taskFolder(task),
        artifactDir: attempts.artifacts(task),
        binFolder: binFolder(),
        tmp: attempts.temporary(task, attempt),
        extra,
      })
    },
    ofProject({ id, task, portBase }) {
      const given = Object.entries(inherited(policy())).filter(([name]) => ofAgents(name)?.ofAgent !== true)
      return projectEnvironment(Object.fromEntries(given), { id, task, taskDir: attempts.taskFolder(task), portBase })
    },
    redact: secrets.redact,
  }
}

/** Worked out once per policy: every start needs it. */
function inheritedFrom(env: NodeJS.ProcessEnv): (policy: Policy) => Readonly<Record<string, string>> {
  let last: { readonly policy: Policy; readonly given: Readonly<Record<string, string>> } | undefined
  return (policy) => {
    if (last?.policy !== policy) last = { policy, given: inheritedEnvironment(env, policy.withholds) }
    return last.given
  }
}
