import type { SandboxNetwork, SandboxPolicy, SandboxStanding } from '../domain/sandbox/sandbox.ts'
import { AppError } from '../errors.ts'

/** The sandbox of the operating system around agents. */
export interface Sandbox {
  /** As the last try showed it. A failure is tried again from time to time, in the background. */
  standing(network: SandboxNetwork): SandboxStanding
  /** The command that runs this one inside. */
  enclose(command: EnclosedCommand, place: SandboxPlace): Pick<EnclosedCommand, 'program' | 'args'>
}

export interface EnclosedCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface SandboxPlace {
  readonly coder: string
  readonly policy: SandboxPolicy
  readonly taskFolder: string
  /** The folders of its task that the agent may write. */
  readonly written: readonly string[]
  readonly temporary: string
  /** The artifacts of the tasks that its task waited for. */
  readonly handedOver: readonly string[]
}

/** The directory of a run is no longer the one that its task named. */
export class DirectoryMoved extends AppError {
  constructor(cwd: string, real: string) {
    super('conflict', `its directory ${cwd} leads to ${real}: an agent may have put a link there`, {
      hint: 'fleet bd update <id> --cwd <directory> names one without links',
    })
  }
}
