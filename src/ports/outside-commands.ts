import type { OutsideReply } from '../domain/agent/outside-call.ts'

/** Fleet's own commands, run for an agent that cannot reach the home from its sandbox. */
export interface OutsideCommands {
  /** Never rejects: a command that cannot be run is a reply too. */
  run(call: OutsideCommand): Promise<OutsideReply>
}

export interface OutsideCommand {
  readonly argv: readonly string[]
  /** Its stdin. */
  readonly input: string | undefined
  readonly cwd: string
  /** That of the agent. */
  readonly env: Readonly<Record<string, string>>
}
