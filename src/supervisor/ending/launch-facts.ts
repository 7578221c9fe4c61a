import type { Policy } from '../../domain/fleet/policy.ts'
import { type CloseAt, closeAtOf } from '../../domain/run/judgement.ts'
import type { PromptSizes } from '../../domain/run/long-prompt.ts'
import type { GivenOnReceipt } from '../../domain/run/receipt.ts'
import type { Scope } from '../../domain/scope/scope.ts'
import type { LaunchRecord } from '../run/launch-record.ts'

/** Facts of a run's launch record that its outcome tells people, and those that its judge goes by. */
interface LaunchFacts {
  readonly permissions?: Policy['permissions']
  readonly promptSizes: PromptSizes
  readonly promptBytes?: number
  /** The task's own settings as they were when the run began: its agent could change the task. */
  readonly closeAt?: CloseAt
  readonly verify?: string
  /** Where it may write. */
  readonly scope?: Scope
  readonly sandbox?: GivenOnReceipt['sandbox']
  /** The first of its ports. */
  readonly portBase?: number
}

const LEVELS: readonly Policy['permissions'][] = ['full', 'workspace', 'settings']

/** Judge and receipt ask for those of the same record. */
export function launchFacts(record: LaunchRecord): LaunchFacts {
  const facts = known.get(record) ?? factsIn(record)
  known.set(record, facts)
  return facts
}

const known = new WeakMap<LaunchRecord, LaunchFacts>()

function factsIn({ text, trusted }: LaunchRecord): LaunchFacts {
  try {
    const { permissions, prompt_sizes, prompt_bytes, close_at, verify, port_base, scope, sandbox } = JSON.parse(text)
    const level = LEVELS.find((each) => each === permissions)
    const closeAt = trusted ? closeAtOf(close_at) : undefined
    return {
      ...(level === undefined ? {} : { permissions: level }),
      ...sandboxFrom(sandbox),
      promptSizes: sizesFrom(prompt_sizes),
      ...(Number.isSafeInteger(prompt_bytes) && { promptBytes: prompt_bytes }),
      ...(closeAt === undefined ? {} : { closeAt }),
      ...(trusted && typeof verify === 'string' && verify !== '' ? { verify } : {}),
      ...(trusted && isScope(scope) && { scope }),
      ...(trusted && Number.isSafeInteger(port_base) && { portBase: port_base }),
    }
  } catch {
    return { promptSizes: {} }
  }
}

function isScope(read: unknown): read is Scope {
  return typeof read === 'object' && read !== null && typeof (read as Scope).readOnly === 'boolean'
}

function sandboxFrom(read: unknown): Pick<LaunchFacts, 'sandbox'> {
  const { mode, network, missing } = (read ?? {}) as Readonly<Record<string, unknown>>
  if (typeof mode !== 'string') return {}
  return {
    sandbox: { mode, ...(typeof network === 'string' && { network }), ...(typeof missing === 'string' && { missing }) },
  }
}

function sizesFrom(read: unknown): PromptSizes {
  const named = Object.entries(typeof read === 'object' && read !== null ? read : {})
  return Object.fromEntries(named.filter(([, size]) => Number.isSafeInteger(size)))
}
