import { NO_USER_CONFIG, type UserConfig } from './user-config.ts'

/** For whom git writes, and how the programs run that it starts for them: filters, hooks, drivers. */
export interface GitOwner extends ConfigOwner {
  /** Without secrets: such programs often run what an agent wrote. */
  readonly env: NodeJS.ProcessEnv
}

export interface ConfigOwner {
  /** As a person left it: what an agent wrote into it does not count. */
  readonly config: () => UserConfig
}

/** Of the git that works for a task. */
export type OwnerOf = (task: string) => GitOwner

/** For git that starts no program. */
export const NOBODY: GitOwner = { config: () => NO_USER_CONFIG, env: { PATH: '/usr/bin:/bin' } }
