import type { Policy } from '../../domain/fleet/policy.ts'
import type { PromptSizes } from '../../domain/run/long-prompt.ts'
import type { Run } from '../../domain/run/run.ts'
import { launchRecord } from '../run/launch-record.ts'
import type { World } from '../world.ts'

/** Facts of a run's launch record that its outcome tells people. */
interface LaunchFacts {
  readonly permissions?: Policy['permissions']
  readonly promptSizes: PromptSizes
  readonly promptBytes?: number
}

const LEVELS: readonly Policy['permissions'][] = ['full', 'workspace', 'settings']

export function launchFacts(world: Pick<World, 'attempts' | 'ledger'>, run: Run): LaunchFacts {
  try {
    const { permissions, prompt_sizes, prompt_bytes } = JSON.parse(launchRecord(world, run).text)
    const level = LEVELS.find((each) => each === permissions)
    return {
      ...(level === undefined ? {} : { permissions: level }),
      promptSizes: sizesFrom(prompt_sizes),
      ...(Number.isSafeInteger(prompt_bytes) && { promptBytes: prompt_bytes }),
    }
  } catch {
    return { promptSizes: {} }
  }
}

function sizesFrom(read: unknown): PromptSizes {
  const named = Object.entries(typeof read === 'object' && read !== null ? read : {})
  return Object.fromEntries(named.filter(([, size]) => Number.isSafeInteger(size)))
}
