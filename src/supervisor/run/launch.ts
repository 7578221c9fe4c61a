import type { HookPlace } from '../../domain/agent/environment.ts'
import { BOUNDED_HOOK_LINES, HOOK_LINES } from '../../domain/agent/hook.ts'
import { HOOK_PART, orderKey } from '../../domain/agent/hook-order.ts'
import { letterKey } from '../../domain/agent/letter-proof.ts'
import { REPLIES } from '../../domain/agent/outside-call.ts'
import { type AskedEvidence, askedEvidence } from '../../domain/evidence/asked.ts'
import { keptAssignment } from '../../domain/fleet/assignment.ts'
import { namespaceFor } from '../../domain/fleet/pid-namespace.ts'
import type { Place } from '../../domain/fleet/place.ts'
import { destroyedText, unusableText } from '../../domain/run/damage.ts'
import { CAUSES } from '../../domain/run/diagnosis/cause.ts'
import { LOOP_ADVICE } from '../../domain/run/diagnosis/loop.ts'
import type { PromptSizes } from '../../domain/run/long-prompt.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { type PromptInput, promptFor, promptSizes } from '../../domain/run/prompt.ts'
import { rejectionText } from '../../domain/run/review.ts'
import type { Run, TaskState } from '../../domain/run/run.ts'
import { costBefore } from '../../domain/run/session-cost.ts'
import { type Told, toldOf } from '../../domain/run/told.ts'
import type { Worktree } from '../../domain/run/worktree.ts'
import { isBounded, type Scope, scopeOf } from '../../domain/scope/scope.ts'
import { locksOf } from '../../domain/task/lock.ts'
import { scriptOf } from '../../domain/task/script.ts'
import { settingsOf, type TaskSettings } from '../../domain/task/settings.ts'
import type { Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import type { Started } from '../../ports/agents.ts'
import type { Coder, Launch } from '../../ports/coder.ts'
import type { Claim } from '../../ports/queue.ts'
import { DirectoryMoved } from '../../ports/sandbox.ts'
import type { Base } from '../../ports/workspace.ts'
import { placedHere, prepareClone } from '../claim/placement.ts'
import { ofFleet, withoutTheirs } from '../ending/of-fleet.ts'
import { notePrograms } from '../landing/trust.ts'
import { cameFrom, learn, tellAnswers } from '../shared/task-records.ts'
import type { World } from '../world.ts'
import { blockersOf } from './blockers.ts'
import { callBounds } from './call-bounds.ts'
import { rejectionOf } from './continued.ts'
import { isSystemTrouble } from './fault.ts'
import { askVersion } from './figures.ts'
import { sealedText, sha256 } from './launch-record.ts'
import { type LiveRun, liveRun, roomForEvents } from './live-run.ts'
import { tellInPrompt } from './messages.ts'
import { newsFor, subjectOf } from './news.ts'
import { primaryBefore, watchPrimary } from './primary-checkout.ts'
import { inSandbox, type RunSandbox, sandboxFor, sandboxRecord } from './sandbox.ts'
import { portsOf } from './setup.ts'
import { inWorktree, type PlannedWorktree, planWorktree, readyWorktree } from './worktree.ts'

/** Everything that is decided before a run exists. */
export interface Plan {
  readonly task: Task
  readonly state: TaskState
  readonly coder: Coder
  /** Where its binary is. */
  readonly program: string
  readonly model: string | undefined
  /** Where the agent works. */
  readonly cwd: string
  /** The directory of the task. */
  readonly project: string
  readonly place: Place
  /** undefined: it runs in the directory of its task. */
  readonly worktree: PlannedWorktree | undefined
  readonly resumes: string | undefined
  /** The machine of the last attempt, where that was another. */
  readonly cameFrom: string | undefined
}

export type Planned =
  | { readonly kind: 'plan'; readonly plan: Plan }
  /** No attempt is made, and none is counted. `lane`: it is the lane's trouble, not the task's. */
  | { readonly kind: 'refused'; readonly outcome: Outcome; readonly lane: string | undefined }

export async function plan(world: World, claim: Claim): Promise<Planned> {
  const refused = (code: Outcome['code'], text: string, lane?: string): Planned => ({
    kind: 'refused',
    outcome: { code, text },
    lane,
  })
  const unusable = mendTask(world, claim.id)
  if (unusable !== undefined) return refused('unusable-folder', unusable)
  const record = await learn(world, claim.id)
  let task: Task | undefined
  try {
    task = await world.taskFiles.takeInEdit(claim.id)
    // Otherwise no person was asked to write there, and an agent may have answered itself.
    const { lastOutcome } = world.ledger.stateOf(claim.id)
    if (task !== undefined && (lastOutcome === null || lastOutcome.code === 'question')) {
      const held = world.questions.takeInAnswer(claim.id)
      if (held !== undefined) return refused('question', held)
    }
  } catch (error) {
    const isOfTask = error instanceof AppError && error.code !== 'queue' && !isSystemTrouble(world, error)
    if (isOfTask) return refused('bad-settings', error.message)
    throw error
  }
  if (task === undefined) return refused('taken-away', 'the task is gone')
  await tellAnswers(world, claim, record)
  const state = world.ledger.stateOf(task.id)
  const { place, settings } = placedHere(world, task.metadata)
  const { coder: chosen, model } = chosenFor(world, settings, state)
  const project = settings.cwd ?? world.attempts.ownFolder(task.id)
  const problem = place.kind === 'clone' ? undefined : world.machine.directoryProblem(project)
  if (problem !== undefined) return refused('missing-cwd', `its directory ${project} ${problem}`)
  const worktree = planWorktree(world, task, { place, settings })
  if (worktree !== undefined && 'refused' in worktree) return refused('no-worktree', worktree.refused)
  const cwd = worktree?.cwd ?? project
  const coder = await world.coders.find(chosen)
  if ('problem' in coder) return refused('missing-binary', coder.problem, chosen)
  const program = world.machine.findProgram(coder.binary)
  if (program === undefined) {
    return refused('missing-binary', `${coder.binary} is not on PATH, or not executable`, chosen)
  }
  const resumes = coder.traits.resume && state.coder === chosen ? (state.session ?? undefined) : undefined
  const from = cameFrom(world, record)
  return {
    kind: 'plan',
    plan: { task, state, coder, program, model, cwd, project, place, worktree, resumes, cameFrom: from },
  }
}

/** Undoes what agents did to the folder of a task. Why no agent can be started there; undefined: one can. */
function mendTask({ attempts, log }: World, task: string): string | undefined {
  const damage = attempts.mend(task)
  if (damage.length > 0) log('task-folder-mended', { task, why: destroyedText(damage) })
  return damage.every(({ isRepaired }) => isRepaired)
    ? undefined
    : unusableText(damage, { folder: attempts.taskFolder(task), task })
}

/** The task's own settings win; then the choice of its first attempt; then the configuration. */
export function chosenFor(
  world: Pick<World, 'policy'>,
  settings: TaskSettings,
  state: TaskState,
): { coder: string; model: string | undefined } {
  const { coder, model } = keptAssignment(world.policy().assignment(settings), state)
  return { coder: coder.value, model: model.value }
}

/** The ledger first: a run that is not in it must not start. */
export function beginRun(world: World, claim: Claim, { task, coder, model, cwd, project, resumes }: Plan): LiveRun {
  const key = letterKey(world.machine.newKeyPair())
  const record = world.ledger.begin({
    id: world.machine.newId(),
    task: task.id,
    claimedBy: claim.by,
    token: claim.token,
    coder: coder.name,
    model: model ?? null,
    lane: coder.name,
    cwd,
    project,
    title: task.title,
    startedAt: world.clock.now(),
    resumes: resumes ?? null,
    letterCheck: key.check,
  })
  const folder = world.attempts.folder(record.task, record.attempt)
  const startedAt = world.clock.monotonic()
  const live = liveRun(record, {
    coder,
    folder,
    state: { phase: 'preparing' },
    startedAt,
    exits: 'reported',
    knownUpTo: -1,
    eventRoom: roomForEvents(record.attempt === 1 ? 0 : world.attempts.eventBytes(record.task)),
    locks: locksOf(task.metadata),
    costBefore: resumes === undefined ? 0 : costBefore(record, world.ledger.runsOf(record.task)),
    letterCheck: key.check,
  })
  live.letters.secret = key.secret
  askVersion(world, live)
  return live
}

export interface Readied {
  readonly launch: Launch
  /** The launch record as it was written. */
  readonly record: { readonly text: string; readonly sha256: string }
  readonly program: string
  /** Decided once: the configuration may change before the start. */
  readonly namespace: boolean
  readonly sandbox: RunSandbox
}

/** Writes everything that the agent and its judge need. Starts nothing. */
export async function makeReady(world: World, live: LiveRun, plan: Plan): Promise<Readied | Outcome> {
  const run = live.record
  const { coder, task, program } = plan
  const policy = world.policy()
  const folder = world.attempts.folder(run.task, run.attempt)
  // The configuration may have changed since the claim.
  const namespace = namespaceFor(policy.pidNamespace, world.machine)
  if (typeof namespace !== 'boolean') throw new AppError('unsupported', namespace.lacks)
  const settings = settingsOf(task.metadata)
  const sandbox = await sandboxFor(world, task.id, settings)
  const lacking = plan.place.kind === 'clone' ? await prepareClone(world, run, plan.place) : undefined
  if (lacking !== undefined) return lacking
  // Its setup leaves its output there.
  if (plan.worktree !== undefined) world.attempts.make(run.task, run.attempt)
  const worktree = plan.worktree && (await readyWorktree(world, live, plan.worktree))
  if (worktree !== undefined && 'code' in worktree) return worktree
  if (worktree !== undefined) await notePrograms(world, run, worktree.repository)
  const script = coder.traits.evidence === 'exit' ? scriptOf(task) : undefined
  if (coder.traits.evidence === 'exit' && script === undefined) {
    return { code: 'bad-settings', text: 'it has no script: give one in its description' }
  }
  const scope = scopeOf(settingsOf(task.metadata), policy.scope(plan.project))
  const launch = coder.launch({
    model: plan.model,
    cwd: plan.cwd,
    promptFile: `${folder}/prompt.md`,
    ...(script === undefined ? {} : { script: { file: `${folder}/prompt.md`, text: script } }),
    ...(plan.resumes === undefined ? {} : { session: plan.resumes }),
    newSession: run.id,
    permissions: policy.permissions,
    writes: [world.attempts.artifacts(run.task), `${world.attempts.taskFolder(run.task)}/inbox`],
    lean: policy.lean,
    isRoot: world.machine.isRoot,
    ...(coder.traits.hooks === true ? { hooks: isBounded(scope) ? BOUNDED_HOOK_LINES : HOOK_LINES } : {}),
  })
  const { prompt, sizes, told } =
    script === undefined
      ? await promptOf(world, run, { ...plan, scope })
      : { prompt: script, sizes: undefined, told: undefined }
  const asked = askedBy(task)
  const isBegun = coder.traits.evidence === 'work' || isBounded(scope) || (asked !== undefined && asked.kind !== 'none')
  const base = isBegun ? await baseFor(world, { task, cwd: plan.cwd, worktree, asked }) : undefined
  live.trace.root = base?.kind === 'git' ? base.root : base?.cwd
  const primary = worktree && (await primaryBefore(world, live, { worktree, script }))
  watchPrimary(world, live)
  const record = {
    v: 1,
    run: run.id,
    task: run.task,
    attempt: run.attempt,
    at: new Date(run.startedAt).toISOString(),
    coder: coder.name,
    claim: coder.traits.claim,
    evidence: coder.traits.evidence,
    // Known only if an earlier run asked the same program: the launch does not wait for the answer.
    coder_version: live.accounting.version ?? null,
    model: plan.model ?? null,
    program,
    args_sha256: sha256(JSON.stringify(launch.args)),
    prompt_sha256: sha256(prompt),
    prompt_bytes: Buffer.byteLength(prompt),
    ...(sizes === undefined ? {} : { prompt_sizes: sizes }),
    cwd: plan.cwd,
    project: plan.project,
    worktree: worktree === undefined ? null : { path: worktree.path, branch: worktree.branch, base: worktree.base },
    primary: primary ?? null,
    resumes: plan.resumes ?? null,
    permissions: policy.permissions,
    port_base: live.portBase ?? null,
    namespace,
    sandbox: sandboxRecord(sandbox) ?? null,
    boot: world.agents.bootId(),
    base: base ?? null,
    told: told ?? null,
    ...judgedBy(settings),
    ...(isBounded(scope) && { scope }),
  }
  const text = sealedText(record, world.ledger.secret())
  if (plan.worktree === undefined) world.attempts.make(run.task, run.attempt)
  for (const [name, text] of Object.entries(launch.files ?? {})) {
    world.attempts.create(run.task, run.attempt, name, text)
  }
  if (coder.traits.hooks === true) world.attempts.part(run.task, run.attempt, HOOK_PART)
  if (sandbox.decision.kind === 'inside') world.attempts.part(run.task, run.attempt, REPLIES)
  world.attempts.create(run.task, run.attempt, 'prompt.md', prompt)
  if (launch.promptAs !== undefined) world.attempts.create(run.task, run.attempt, 'stdin', launch.promptAs(prompt))
  world.attempts.create(run.task, run.attempt, 'launch.json', text)
  return { launch, record: { text, sha256: sha256(text) }, program, namespace, sandbox }
}

async function baseFor(
  world: World,
  {
    task,
    cwd,
    worktree,
    asked,
  }: { task: Task; cwd: string; worktree: Worktree | undefined; asked: AskedEvidence | undefined },
): Promise<Base> {
  const base = await world.workspace.base(cwd, world.home, asked)
  return { ...inWorktree(withoutTheirs(base, ofFleet(world, task.id)), worktree), at: world.clock.now() }
}

function askedBy({ metadata }: Task): AskedEvidence | undefined {
  const { evidence } = settingsOf(metadata)
  return evidence === undefined ? undefined : askedEvidence(evidence)
}

/** The leader of its processes, or the outcome if nothing could be started. */
export async function start(
  world: World,
  live: LiveRun,
  { launch, program, namespace, sandbox }: Readied,
  ended: () => void,
): Promise<Started | Outcome> {
  const { record, coder, folder, letters, portBase } = live
  const hooks = hooksOf(world, live)
  const env = world.environment.of(
    { ...record, letterSecret: letters.secret, hooks },
    { ...launch.env, ...portsOf(portBase) },
  )
  letters.secret = undefined
  const order = {
    run: record.id,
    folder,
    program,
    args: launch.args,
    cwd: record.cwd,
    env,
    stdin: launch.stdin === 'prompt' ? `${folder}/${launch.promptAs === undefined ? 'prompt.md' : 'stdin'}` : undefined,
    namespace,
  }
  try {
    const { task, attempt } = record
    const inside = inSandbox(world, order, { sandbox, task, attempt, coder: coder.name, hooks: hooks?.folder })
    return await world.agents.start(inside, ended)
  } catch (error) {
    if (error instanceof DirectoryMoved) return { code: 'missing-cwd', text: `${error.message}. ${error.hint}` }
    const problem = world.machine.directoryProblem(record.cwd)
    if (problem !== undefined) return { code: 'missing-cwd', text: `its directory ${record.cwd} ${problem}` }
    throw error
  }
}

function hooksOf(world: World, live: LiveRun): HookPlace | undefined {
  if (live.coder.traits.hooks !== true) return undefined
  const bounds = callBounds(world, live)
  const place = { folder: `${live.folder}/${HOOK_PART}`, check: orderKey(world.ledger.secret()).x }
  return { ...place, ...(isBounded(bounds.scope) && { bounds }) }
}

/** Why the last attempt ended, and the note of a person which that attempt had, and has not followed yet. */
function whyEnded(world: World, run: Run, { text, details, code, stall }: Outcome): string {
  const rejection = code === 'review-rejected' ? undefined : rejectionOf(world, run)
  const advice = code === 'looping' ? LOOP_ADVICE : stall && CAUSES[stall.cause].advice
  return [text, details, advice, rejection && `Before that ${rejectionText(rejection)}`]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

/** Recorded before the agent starts: it must not be able to choose what it is judged by. */
function judgedBy({ close_at, verify }: TaskSettings): { close_at?: string; verify?: string } {
  return { ...(close_at !== undefined && { close_at }), ...(verify !== undefined && { verify }) }
}

interface Prompted {
  readonly prompt: string
  readonly sizes: PromptSizes
  readonly told: Told
}

async function promptOf(world: World, run: Run, plan: Plan & { readonly scope: Scope }): Promise<Prompted> {
  const { task, state, cwd, resumes, cameFrom, worktree } = plan
  const { ledger, attempts } = world
  const { lastOutcome: outcome } = state
  const { messages, ...subject } = tellInPrompt(world, run, await subjectOf(world, task))
  const input: PromptInput = {
    task,
    cwd,
    ...(worktree === undefined ? {} : { worktreeOf: worktree.found.root }),
    artifactDir: attempts.artifacts(task.id),
    scope: plan.scope,
    taskDir: attempts.taskFolder(task.id),
    attempt: run.attempt,
    resumed: resumes !== undefined,
    ...(cameFrom === undefined ? {} : { previousMachine: cameFrom }),
    // After a question the prompt has the question and its answer instead.
    ...(outcome === null || outcome.code === 'question' ? {} : { previous: whyEnded(world, run, outcome) }),
    questions: ledger.questionsOf(task.id),
    blockers: await blockersOf(world, task.id),
    comments: subject.comments,
    messages,
    ...(resumes === undefined ? {} : { news: await newsFor(world, run, subject) }),
  }
  const told = toldOf({ ...subject, comments: [...messages, ...subject.comments] })
  return { prompt: promptFor(input), sizes: promptSizes(input), told }
}
