import { IN_SANDBOX, REPLIES } from '../../domain/agent/outside-call.ts'
import { type SandboxDecision, type SandboxPolicy, sandboxDecision } from '../../domain/sandbox/sandbox.ts'
import type { TaskSettings } from '../../domain/task/settings.ts'
import { AppError } from '../../errors.ts'
import type { StartOrder } from '../../ports/agents.ts'
import type { World } from '../world.ts'
import { waitedFor } from './waited-for.ts'

/** Decided once for a run: the configuration may change before its start. */
export interface RunSandbox {
  readonly policy: SandboxPolicy
  readonly decision: SandboxDecision
  /** The artifacts of the tasks that it waited for. */
  readonly handedOver: readonly string[]
}

/** Whether an agent with these settings can be started now, as far as its sandbox decides that. */
export function sandboxNow(world: Pick<World, 'policy' | 'sandbox'>, settings: TaskSettings): SandboxDecision {
  const { mode, network } = world.policy().sandbox(settings)
  return sandboxDecision(mode, () => world.sandbox.standing(network))
}

export async function sandboxFor(world: World, task: string, settings: TaskSettings): Promise<RunSandbox> {
  const policy = world.policy().sandbox(settings)
  const decision = sandboxNow(world, settings)
  if (decision.kind === 'refused') throw new AppError('unsupported', `${task} asks for a sandbox: ${decision.why}`)
  const before = decision.kind === 'inside' ? await waitedFor(world.queue, task) : []
  return { policy, decision, handedOver: before.map((id) => world.attempts.artifacts(id)) }
}

/** For the launch record; undefined: the task asks for none. */
export function sandboxRecord({ policy, decision }: RunSandbox): object | undefined {
  const { mode, network } = policy
  if (decision.kind === 'inside') return { mode, network }
  return decision.kind === 'without' ? { mode, missing: decision.why } : undefined
}

/** The order to start the agent inside, if it is to be. */
export function inSandbox(
  world: World,
  order: StartOrder,
  { sandbox, task, attempt, coder, hooks }: InSandbox,
): StartOrder {
  if (sandbox?.decision.kind !== 'inside') return order
  const { attempts } = world
  const env = { ...order.env, [IN_SANDBOX]: `${order.folder}/${REPLIES}` }
  const place = {
    coder,
    policy: sandbox.policy,
    taskFolder: attempts.taskFolder(task),
    written: [attempts.artifacts(task), `${attempts.taskFolder(task)}/inbox`, ...(hooks === undefined ? [] : [hooks])],
    temporary: attempts.temporary(task, attempt),
    handedOver: sandbox.handedOver,
  }
  return { ...order, env, ...world.sandbox.enclose({ ...order, env }, place) }
}

interface InSandbox {
  readonly sandbox: RunSandbox | undefined
  readonly task: string
  readonly attempt: number
  readonly coder: string
  /** The folder of its orders, which it takes from there. */
  readonly hooks: string | undefined
}
