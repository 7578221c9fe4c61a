import { dirname, join } from 'node:path'
import type { Log } from '../domain/fleet/log-event.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import {
  type CommandTry,
  commandText,
  nextVerifyStep,
  type VerifyCommand,
  verdictText,
} from '../domain/verify/verification.ts'
import { directoryProblem } from '../platform/files/paths.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import type { OwnerOf } from '../platform/git/git-owner.ts'
import { missingProgram } from '../platform/process/missing-program.ts'
import type { Agents } from '../ports/agents.ts'
import type { Environment } from '../ports/environment.ts'
import { LET_GO, type Verification, type Verifier, type VerifyOrder } from '../ports/verifier.ts'
import type { VerifyRecords } from '../ports/verify-records.ts'
import { knownTree } from './known-tree.ts'
import { lostTests } from './lost-tests.ts'
import { endRunning, forgetTries, runCommand } from './run-command.ts'
import { treeKey } from './tree-key.ts'
import { verifyWithBase } from './with-base.ts'

export interface VerifierParts {
  /** The folder of the home. */
  readonly home: string
  readonly agents: Agents
  readonly records: VerifyRecords
  readonly environment: Environment
  readonly log: Log
  readonly ownerOf: OwnerOf
  /** Whether commands get a pid namespace of their own. */
  readonly namespace: () => boolean
  policy(): Policy
}

/** The commands of a verification, one after the other, as domain/verify/verification.ts decides. */
export function projectVerifier(parts: VerifierParts): Verifier {
  return {
    hasCommands: (what) => planOf(parts.policy(), what).commands.length > 0,
    keyOf: (what) => JSON.stringify(planOf(parts.policy(), what)),
    verify: (order, signal) => verify(parts, order, signal),
    lostTests,
    end: (subject) => endRunning(parts, subject),
    forget: (subject) => forgetTries(parts, subject),
    verifyWithBase(order, work, signal) {
      const { commands, path } = planOf(parts.policy(), order)
      return verifyWithBase({
        order,
        work,
        commands,
        cwd: directoryOf(order, path),
        home: parts.home,
        include: parts.policy().tamperInclude(order.project),
        owner: parts.ownerOf(order.task),
        isInUse: (folder) => parts.records.runningOf(order.subject)?.cwd.startsWith(folder) === true,
        again: (place) => verify(parts, { ...order, ...place }, signal),
      })
    },
  }
}

interface Plan {
  readonly commands: readonly VerifyCommand[]
  /** Where a person changes them. */
  readonly setting: string
  /** The project's directory; undefined: the task's own. */
  readonly path: string | undefined
}

function planOf(policy: Policy, { project, command }: Pick<VerifyOrder, 'project' | 'command'>): Plan {
  const found = policy.verify(project)
  if (command !== undefined) {
    return { commands: [{ name: 'verify', command }], setting: "the task's --verify", path: undefined }
  }
  if (found === undefined) return { commands: [], setting: '', path: undefined }
  return { ...found, setting: `projects.${JSON.stringify(found.path)}.verify` }
}

async function verify(parts: VerifierParts, order: VerifyOrder, signal: AbortSignal): Promise<Verification> {
  const { commands, setting, path } = planOf(parts.policy(), order)
  if (commands.length === 0) return { kind: 'none' }
  const cwd = directoryOf(order, path)
  const gone = directoryProblem(cwd)
  if (gone !== undefined) return { kind: 'unusable', text: `its directory ${cwd} ${gone}`, commands: [] }
  const key = await keyOf(parts, { order, commands, cwd })
  if (key !== undefined && parts.records.hasPassed(key, Date.now() - KNOWN_FOR_MS)) {
    return { kind: 'passed', known: true, commands: [], text: '' }
  }
  const begun = parts.records.of(order.subject).some((each) => each.cwd === cwd && each.round > 0)
  const tries: CommandTry[] = []
  for (;;) {
    if (signal.aborted && signal.reason === LET_GO) throw signal.reason
    const step = nextVerifyStep(commands, tries)
    if (step.do === 'end') {
      const { verdict } = step
      if (verdict === 'passed' && key !== undefined) {
        // An agent or a person beside it may have changed the tree while the commands ran.
        const isOfTree = order.tree !== undefined || (!begun && (await keyOf(parts, { order, commands, cwd })) === key)
        if (isOfTree) parts.records.passed(key, Date.now(), Date.now() - KNOWN_FOR_MS)
      }
      return { kind: verdict, commands: tries, text: verdict === 'passed' ? '' : verdictText(verdict, tries) }
    }
    const { command, round } = step
    const ended = await runCommand(parts, { order, command, round, cwd }, signal)
    tries.push(ended)
    const missing = missingBehind(parts, ended, { order, cwd })
    if (missing !== undefined) {
      const text = `${commandText(command)} cannot be run: ${missing}; fix ${setting}, then fleet retry ${order.task}`
      return { kind: 'unusable', text, commands: tries }
    }
  }
}

/** The programs of the machine change too. */
const KNOWN_FOR_MS = 24 * 3_600_000

/** undefined: the tree is not known, and a pass counts once. */
async function keyOf(
  { environment }: VerifierParts,
  { order, commands, cwd }: { order: VerifyOrder; commands: readonly VerifyCommand[]; cwd: string },
): Promise<string | undefined> {
  const known = await (order.tree === undefined ? knownTree(cwd) : { tree: order.tree, below: belowTop(order, cwd) })
  if (known === undefined) return undefined
  return treeKey(known, { commands, env: environment.ofProject({ id: order.subject, task: order.task }) })
}

function belowTop(order: VerifyOrder, cwd: string): string {
  const top = order.top ?? checkoutAt(cwd)?.root
  return (top && wayDown(top, cwd)) ?? ''
}

/**
 * The project's directory, in the tree that the task works in: as far above the task's cwd as it is above the task's own
 * directory. A project that holds whole repositories means the top folder of each.
 */
function directoryOf({ cwd, project, ...given }: VerifyOrder, path: string | undefined): string {
  const way = path === undefined ? '' : (wayDown(path, project) ?? '')
  if (way === '') return cwd
  const top = given.top ?? checkoutAt(cwd)?.root
  let at = cwd
  for (const _ of way.split('/')) {
    if (top !== undefined && wayDown(top, at) === '') break
    at = dirname(at)
  }
  return at
}

/** The statuses with which a shell says that it could not run a program. */
const NOT_RUN = new Set([126, 127])

/** Why the command itself is missing, and not something that it runs. A file that the agent removed is its own doing. */
function missingBehind(
  { environment }: VerifierParts,
  { end, command }: CommandTry,
  { order, cwd }: { order: VerifyOrder; cwd: string },
): string | undefined {
  if (end.kind !== 'exited' || !NOT_RUN.has(end.code)) return undefined
  const env = environment.ofProject({ id: order.subject, task: order.task })
  const missing = missingProgram(command, { cwd, env })
  if (missing === undefined || order.changed?.(join(cwd, missing.program)) === true) return undefined
  return missing.why
}
