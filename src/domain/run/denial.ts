import type { Policy } from '../fleet/policy.ts'

/** A tool call that the coder's permissions did not allow. */
export interface Denial {
  readonly tool: string
  /** The command or the file. */
  readonly call?: string
  /** The rule, in the coder's words. */
  readonly rule?: string
}

/** The denials of one run, under the permissions that it was started with. */
interface Denied {
  readonly coder: string
  readonly permissions: Policy['permissions']
  /** The first ones. */
  readonly denials: readonly Denial[]
  readonly count: number
  /** The coder's own words, if it stopped there. */
  readonly told?: string | undefined
}

/** Which call, which rule, and what to change: one sentence for people and for the next attempt. */
export function deniedText({ coder, permissions, denials, count, told }: Denied): string {
  const [first] = denials
  const change = CHANGE[permissions](coder)
  if (first === undefined) return `${told ?? `the permissions of ${coder} denied a tool call`}; ${change}`
  const named = callText(first)
  const more = count > 1 ? `, and ${count - 1} more` : ''
  const rule = first.rule === undefined ? '' : `: ${first.rule}`
  return `the permissions of ${coder} denied ${named}${more}${rule}; ${change}`
}

/** The call, and the rule that denied it. */
export function denialText({ rule, ...called }: Denial): string {
  return `${callText(called)}${rule === undefined ? '' : `: ${rule}`}`
}

function callText({ tool, call }: Denial): string {
  return call === undefined ? tool : `${tool} (${call})`
}

const CHANGE: Record<Policy['permissions'], (coder: string) => string> = {
  settings: (coder) =>
    `allow it in the settings of ${coder}, or set permissions to "workspace" or "full" in runtime.toml (now "settings")`,
  workspace: (coder) =>
    `set permissions to "full" in runtime.toml (now "workspace"), or allow it in the settings of ${coder}`,
  full: (coder) => `permissions are "full" already: a rule, hook or sandbox of ${coder} or of the project denies it`,
}

/** The first sentence of a refusal is its rule; advice to the model follows. */
export function ruleOf(text: string): string {
  const [sentence = ''] = text.split(/(?<=[.!])\s/)
  return sentence
}
