import { createHmac } from 'node:crypto'
import { isSigned, type KeyPair, keyPairFrom } from './letter-proof.ts'

/**
 * A file of the supervisor's in the folder of a run's orders, for the hooks of that run. While the folder has a file `*.json`,
 * every call of a hook starts `fleet hook`; an order that stays for the whole run costs that at every tool call.
 */
export type HookOrder = HookMessage

/** A message of a person. Its file makes way when it was delivered. */
export interface HookMessage {
  readonly v: 1
  readonly run: string
  readonly kind: 'message'
  readonly id: number
  readonly at: number
  readonly by: string
  readonly text: string
}

/** The most bytes of one order. */
export const HOOK_ORDER_LIMIT = 65_536

export function orderName({ kind, id }: HookOrder): string {
  return `${kind}-${String(id).padStart(12, '0')}.json`
}

/** After the name of an order: a call of a hook has taken it, or has printed its words. */
export const TAKEN = '.taken'
export const TOLD = '.told'

/** The folder of orders in that of the attempt. Hooks rename files there, so a sandbox has to let the run write to it. */
export const HOOK_PART = 'hooks'

/** From the secret of the home's store, so that the next supervisor of the home has the same key. */
export function orderKey(secret: string): KeyPair {
  return keyPairFrom(createHmac('sha256', secret).update('orders for hooks').digest())
}

/** undefined: it is no order for this run. Every agent of the user can write the file: only what fleet has signed counts. */
export function hookOrderOf(text: string, { run, check }: { run: string; check: string }): HookOrder | undefined {
  if (!isSigned(text, check)) return undefined
  const { proof: _, ...order } = JSON.parse(text) as HookOrder & { proof: string }
  return order.run === run && order.v === 1 ? order : undefined
}
