import { pluralize } from '../text/pluralize.ts'

/** One command of a project's verification: a line of the user's own for `sh -c`. */
export interface VerifyCommand {
  /** Unique among the commands of a project. */
  readonly name: string
  readonly command: string
}

/** How one try of a command ended. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** It printed more than fleet keeps of one command. */
  | { readonly kind: 'flooded'; readonly bytes: number }
  /** SIGKILL from outside, as when memory runs out. */
  | { readonly kind: 'killed' }
  /** It failed while a disk that it writes to was full. */
  | { readonly kind: 'disk-full' }
  /** Its exit was not recorded: its wrapper was killed, or the machine went down. */
  | { readonly kind: 'lost' }

/** One try of one command. */
export interface CommandTry extends VerifyCommand {
  readonly end: CommandEnd
  readonly ms: number
  /** The part of its output that says what is wrong; '' for a try that passed. */
  readonly failing: string
  /** The last lines of its output. */
  readonly tail: string
  /** The file with its whole output. */
  readonly log: string
  /** How many processes it left behind, which were killed. */
  readonly leftovers: number
  /** It ran in a copy with the base version of the files that decide whether it passes. */
  readonly with?: 'base'
}

export type VerifyVerdict =
  | 'passed'
  /** Every command passed, but one of them only when it was run again. */
  | 'flaky'
  | 'failed'
  /** It ended without an answer: a timeout, or trouble of the machine. It says nothing about the tree. */
  | 'no-verdict'

export type VerifyStep =
  | { readonly do: 'run'; readonly command: VerifyCommand; readonly round: number }
  | { readonly do: 'end'; readonly verdict: VerifyVerdict }

/** A red tree is run once more before it counts, and so is one without an answer. */
const TRIES = 2

/**
 * The next step, from all that was tried so far. Commands run in order, and the first that does not pass ends them. Total and
 * without memory: a supervisor that was started again goes on from the recorded tries.
 */
export function nextVerifyStep(commands: readonly VerifyCommand[], tries: readonly CommandTry[]): VerifyStep {
  let verdict: VerifyVerdict = 'passed'
  for (const command of commands) {
    const own = triesOf(command, tries)
    const red = own.filter(isRed).length
    const isGreen = own.some(({ end }) => end.kind === 'exited' && end.code === 0)
    if (isGreen && red > 0) verdict = 'flaky'
    if (isGreen) continue
    if (red >= TRIES) return { do: 'end', verdict: 'failed' }
    if (own.length - red >= TRIES) return { do: 'end', verdict: 'no-verdict' }
    return { do: 'run', command, round: own.length + 1 }
  }
  return { do: 'end', verdict }
}

/** The tries of a command. One that has another line by now is another command. */
function triesOf({ name, command }: VerifyCommand, tries: readonly CommandTry[]): readonly CommandTry[] {
  return tries.filter((each) => each.name === name && each.command === command)
}

/** The status of a shell whose command died of SIGKILL. */
const SIGKILLED = 137

/** The meaning of an exit. Trouble of the machine is no failure of the command. */
export function endFrom(code: number, { isDiskFull }: { isDiskFull: boolean }): CommandEnd {
  if (code === SIGKILLED) return { kind: 'killed' }
  return code !== 0 && isDiskFull ? { kind: 'disk-full' } : { kind: 'exited', code }
}

/** The command's own doing. */
function isRed({ end }: CommandTry): boolean {
  return end.kind === 'flooded' || (end.kind === 'exited' && end.code !== 0)
}

/** The try that decided: the last one. One sentence about it, for people and for the next attempt. */
export function verdictText(verdict: Exclude<VerifyVerdict, 'passed'>, tries: readonly CommandTry[]): string {
  const last = tries.at(-1)
  if (last === undefined) return verdict
  switch (verdict) {
    case 'flaky':
      return flakyText(tries)
    case 'failed':
      return `${commandText(last)} ${endText(last.end)}`
    case 'no-verdict': {
      const unclear = triesOf(last, tries).filter((each) => !isRed(each))
      return `${commandText(last)} gave no verdict in ${pluralize(unclear.length, 'try')}: it ${endText(last.end)}`
    }
  }
}

/** `verify (npm test)` */
export function commandText({ name, command }: VerifyCommand): string {
  return name === command ? name : `${name} (${command})`
}

/** Continues a sentence that begins with the command. */
export function endText(end: CommandEnd): string {
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? 'passed' : `ended with exit status ${end.code}`
    case 'timed-out':
      return `did not end within ${Math.round(end.afterMs / 1000)} s (timeouts.verify)`
    case 'flooded':
      return `printed more than ${Math.round(end.bytes / (1 << 20))} MB and was stopped`
    case 'killed':
      return 'was killed from outside (SIGKILL), as when memory runs out'
    case 'disk-full':
      return 'failed while the disk was full'
    case 'lost':
      return 'ended without a recorded exit: it was killed, or the machine went down'
  }
}

function flakyText(tries: readonly CommandTry[]): string {
  const names = [...new Set(tries.filter(isRed).map(commandText))]
  return `flaky: ${names.join(', ')} failed once and passed when it was run again`
}

const PROCESS = /^(.+)\.verify-(\d+)$/

/** Marks the processes of the n-th command of a verification. */
export function verifyProcessId(subject: string, n: number): string {
  return `${subject}.verify-${n}`
}

export function verifyProcessNumber(id: string): number {
  return Number(PROCESS.exec(id)?.[2] ?? 0)
}

/** Names the verification of the tree that a landing has built. */
export function landingSubject(run: string, commit: string): string {
  return `${run}.landing-${shortCommit(commit)}`
}

export function shortCommit(commit: string): string {
  return commit.slice(0, 12)
}

/** The parts of an attempt that make a worktree ready, and the tree of a landing. */
export type SetupPart = 'setup' | 'landing-setup'

/** Marks the processes of a setup: they are not the agent's. */
export function setupProcessId(run: string, part: SetupPart): string {
  return `${run}.${part}`
}

/**
 * The run that a marked process checks or makes ready; `landing`: the commit that a landing has built from it, or the
 * beginning of one: '' is that of any.
 */
export function subjectOfProcess(id: string): { readonly run: string; readonly landing?: string } {
  const [, made, part] = /^(.+)\.(setup|landing-setup)$/.exec(id) ?? []
  if (made !== undefined) return part === 'setup' ? { run: made } : { run: made, landing: '' }
  const subject = PROCESS.exec(id)?.[1] ?? id
  const [, run, landing] = /^(.+)\.landing-([0-9a-f]+)$/.exec(subject) ?? []
  return run === undefined || landing === undefined ? { run: subject } : { run, landing }
}
