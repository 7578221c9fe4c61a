import type { Proc } from '../domain/run/run.ts'
import type { CommandTry, VerifyCommand } from '../domain/verify/verification.ts'

/** The processes of verifications, in the home's own store: written before anything is started, so that it is started once. */
export interface VerifyRecords {
  begin(process: Omit<VerifyProcess, 'proc' | 'done'>): void
  started(id: string, proc: Proc): void
  /** It is being stopped: its exit says nothing any more. A supervisor that dies now leaves no try of any round. */
  stopping(id: string): void
  ended(process: Pick<VerifyProcess, 'id' | 'round'>, done: VerifyEnd): void
  /** It is no try of any round: it was never started, was stopped, or does not count any more. */
  forget(id: string): void
  /** Of one verification, oldest first. */
  of(subject: string): readonly VerifyProcess[]
  /** A tree has passed; older passes than `forgetBefore` are forgotten. */
  passed(key: string, at: number, forgetBefore: number): void
  hasPassed(key: string, since: number): boolean
  /** The one that runs now. */
  runningOf(subject: string): VerifyProcess | undefined
}

export interface VerifyProcess extends VerifyCommand {
  /** Also the marker of its processes. */
  readonly id: string
  readonly subject: string
  /** 1 for the first try of the command; 0 for one that is no try. */
  readonly round: number
  /** The folder of its files. */
  readonly folder: string
  readonly cwd: string
  readonly startedAt: number
  /** null: not started yet, or it is not known. */
  readonly proc: Proc | null
  /** null: it runs, or its end was not seen yet. */
  readonly done: VerifyEnd | null
}

/** Without a tail: an older fleet wrote it. */
export type VerifyEnd = Pick<CommandTry, 'end' | 'ms' | 'failing' | 'leftovers'> & Partial<Pick<CommandTry, 'tail'>>
