import type { HookPlace } from '../domain/agent/environment.ts'
import type { Run } from '../domain/run/run.ts'

export interface ProjectCommand {
  readonly id: string
  readonly task: string
  /** The first of the ports of the run whose work it checks. */
  readonly portBase?: number | undefined
}

/** The variables of agents, and the secrets among them. */
export interface Environment {
  /** Every variable that the agent of a run gets; `letterSecret` signs its letters, `more` are those that its coder adds. */
  of(
    run: Run & { readonly letterSecret?: string | undefined; readonly hooks?: HookPlace | undefined },
    more?: Readonly<Record<string, string>>,
  ): Record<string, string>
  /**
   * Every variable that a command of the project gets: the user's own, none of an agent's or a model provider's, no secret
   * that is withheld; and those by which fleet recognises the processes that it starts.
   */
  ofProject(command: ProjectCommand): Record<string, string>
  /** Masks the secrets that this supervisor knows, and everything that looks like one. */
  redact(text: string): string
}
