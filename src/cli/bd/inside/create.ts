import { agentName } from '../../../domain/agent/current-run.ts'
import { stricter } from '../../../domain/sandbox/sandbox.ts'
import { type ScopeSettings, scopeOf } from '../../../domain/scope/scope.ts'
import { repositoryOf } from '../../../domain/task/repository.ts'
import { hasSettings, settingsOf, type TaskSettings } from '../../../domain/task/settings.ts'
import { absolutePath, realPathOf } from '../../../platform/files/paths.ts'
import { wayDown } from '../../../platform/files/same-folder.ts'
import type { BdCall, Origin } from '../command.ts'
import { parseDependencies } from '../parts/create-dependencies.ts'
import { inText, metadataOf } from '../parts/issue-input.ts'
import { resolveTask } from '../parts/resolve.ts'
import { notForAgents } from './refusal.ts'

/** Tasks that the agents of one task may create, over all its attempts. */
const CREATED_LIMIT = 20
/** The limit of discovered-from chains: deeper tasks need a person. */
const DEPTH_LIMIT = 3

/** The call, adjusted to the agent's project. Refuses too many tasks and settings reserved for people. */
export async function checkCreation(call: BdCall, task: string): Promise<BdCall> {
  const { flags } = call
  for (const [name, why] of Object.entries(FOR_PEOPLE)) {
    if ((flags.text(name) ?? '') !== '') throw notForAgents(`--${name} is not for agents: ${why}`)
  }
  const status = flags.text('status') ?? 'open'
  if (status !== 'open' && status !== 'deferred') throw notForAgents(`an agent creates no ${status} tasks`)
  if (hasSettings(metadataOf(call, inText) ?? {})) {
    throw notForAgents('metadata under "fleet" is not for agents: people choose where and by whom a task is done')
  }
  await checkOthers(call, task)
  await checkBounds(call, task)
  const metadata = (await call.store.get(task))?.metadata ?? {}
  const own = settingsOf(metadata)
  const { cwd, isolation, target } = own
  checkDirectory(call, cwd)
  // `call` has getters (the store opens late), so inherit from it; copying would open the store.
  const settings = defined({ cwd, isolation, target, ...(await boundsOf(call, own)) })
  const origin = { task, cwd, settings, repository: repositoryOf(metadata) } satisfies Origin
  return Object.create(call, { origin: { value: origin } })
}

/**
 * A new task in another directory may belong to another project: then it takes over what holds for its agent's own, so that
 * it may write nowhere else.
 */
async function boundsOf(call: BdCall, own: TaskSettings): Promise<Bounds> {
  const { cwd, scope, read_only, sandbox } = own
  const given = call.flags.text('cwd') ?? ''
  if (given === '') return { scope, read_only, sandbox }
  const { policyInForce } = await import('../../../views/configuration.ts')
  const { policy, problem } = await policyInForce(call.home, undefined)
  if (policy === undefined) throw notForAgents(`nobody can tell what a task with --cwd may change: ${problem}`)
  const { readOnly, writes } = scopeOf({ scope, read_only }, policy.scope(cwd))
  const { mode: there } = policy.sandbox({ cwd: realPathOf(absolutePath(given, call.cwd)) })
  const mode = stricter(policy.sandbox(own).mode, there)
  return {
    scope: writes?.join(',') ?? scope,
    read_only: readOnly ? 'true' : read_only,
    sandbox: mode === there ? undefined : mode,
  }
}

type Bounds = Record<keyof ScopeSettings | 'sandbox', string | undefined>

function defined(settings: { [K in keyof TaskSettings]: string | undefined }): TaskSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

const FOR_PEOPLE = {
  coder: 'people choose who does a task',
  model: 'people choose who does a task',
  command: 'people choose what is run without an agent',
  on: 'people choose where a task is done',
  isolation: 'people choose where a task is done',
  target: 'people choose what a task is for',
  verify: 'people choose what work is checked with',
  'close-at': 'people choose when a task is done',
  evidence: 'people choose what a task is proved by',
  lock: 'people choose what a task waits for',
  scope: 'its tasks may write where its own task may',
  'read-only': 'its tasks may write where its own task may',
  sandbox: 'people choose what an agent may reach',
  assignee: 'the supervisor hands tasks out',
} as const

/** A new task may depend on any task. Only tasks the agent created may become blocked or get children. */
async function checkOthers(call: BdCall, task: string): Promise<void> {
  const heldUp = parseDependencies(call.flags.all('deps')).filter((spec) => spec.reverse)
  const parent = call.flags.text('parent') ?? ''
  const touched = [...heldUp.map((spec) => spec.on), ...(parent === '' ? [] : [parent])]
  for (const given of touched) {
    const id = await resolveTask(call, given)
    if (given === parent && id === task) continue
    if (!(await isOwnCreation(call, id))) {
      throw notForAgents(`${id} is not a task of yours: an agent does not hold it up or add children to it`)
    }
  }
}

export async function isOwnCreation(call: BdCall, id: string): Promise<boolean> {
  return (await call.store.get(id))?.created_by === call.actor
}

async function checkBounds(call: BdCall, task: string): Promise<void> {
  const edges = await call.store.edges([task], 'up')
  const created = new Set(edges.filter((edge) => edge.created_by === call.actor).map((edge) => edge.issue_id))
  const enough = 'tell people what else there is: fleet note "<text>"'
  if (created.size >= CREATED_LIMIT) {
    throw notForAgents(`${created.size} tasks were created from ${task}, and that is the limit`, enough)
  }
  let found = task
  for (let depth = 1; ; depth++) {
    const [origin] = (await call.store.edges([found], 'down')).filter(
      (edge) => edge.created_by === agentName(edge.depends_on_id),
    )
    if (origin === undefined) return
    if (depth >= DEPTH_LIMIT) {
      throw notForAgents(`${task} was itself found ${depth} tasks deep, and that is the limit`, enough)
    }
    found = origin.depends_on_id
  }
}

function checkDirectory(call: BdCall, project: string | undefined): void {
  const given = call.flags.text('cwd') ?? ''
  if (given === '') return
  // By its place on the disk: a link in the project could lead anywhere.
  const real = realPathOf(absolutePath(given, call.cwd))
  if (project === undefined || wayDown(realPathOf(project), real) === undefined) {
    throw notForAgents(
      `--cwd ${given} is outside ${project ?? 'the project'}: an agent creates tasks for its own project`,
    )
  }
}
