/** The versions of bd that fleet supports, and the features of each. */

export interface BdFeatures {
  /** A claim has a lease of five minutes, which `bd heartbeat` renews. */
  readonly heartbeat: boolean
  /** `bd update --if-status --if-assignee` writes only while they hold. */
  readonly guards: boolean
  /** bd refuses to claim a task it considers blocked; `bd recompute-blocked` corrects a stale flag. */
  readonly recomputes: boolean
  /** `bd create` writes a task and its dependencies in one transaction. */
  readonly createsWithDependencies: boolean
}

export type BdVerdict =
  | { readonly kind: 'usable'; readonly version: string; readonly features: BdFeatures }
  | { readonly kind: 'refused'; readonly version: string; readonly why: string }

/** The answer of `fleet bd` when fleet called it in place of bd. */
export const FLEET_ITSELF = 'this bd is fleet itself'

/** Whether the answer came from a script named bd that calls `fleet bd`, which some people install out of habit. */
export function isFleetItself(answer: string): boolean {
  return /"build":\s*"fleet /.test(answer) || answer.includes(FLEET_ITSELF)
}

type Version = readonly [major: number, minor: number, patch: number]

const OLDEST: Version = [1, 0, 4]
const FIRST_UNTESTED: Version = [1, 4, 0]

const WITHDRAWN: Readonly<Record<string, string>> = {
  '1.0.5': 'was withdrawn for damaging databases',
  '1.2.1': 'was published by accident and withdrawn; its schema is incompatible',
}

export function judgeBd(text: string): BdVerdict | undefined {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text)
  if (found === null) return undefined
  const version: Version = [Number(found[1]), Number(found[2]), Number(found[3])]
  const name = version.join('.')
  const refuse = (why: string): BdVerdict => ({ kind: 'refused', version: name, why })
  const withdrawn = WITHDRAWN[name]
  if (withdrawn !== undefined) return refuse(withdrawn)
  if (compare(version, OLDEST) < 0)
    return refuse(`is older than ${OLDEST.join('.')}, the first whose claims can be trusted`)
  if (compare(version, FIRST_UNTESTED) >= 0)
    return refuse('is newer than the versions fleet is tested with, 1.0.4 to 1.3')
  const leases = compare(version, [1, 3, 0]) >= 0
  const features = { heartbeat: leases, guards: leases, recomputes: leases, createsWithDependencies: leases }
  return { kind: 'usable', version: name, features }
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}
