/** Whether the operating system confines an agent, the strictest last. `preferred`: it runs without where no sandbox works. */
export const SANDBOX_MODES = ['off', 'preferred', 'required'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

export const SANDBOX_NETWORKS = ['on', 'off'] as const
export type SandboxNetwork = (typeof SANDBOX_NETWORKS)[number]

export function isSandboxMode(text: string): text is SandboxMode {
  return SANDBOX_MODES.some((mode) => mode === text)
}

/** Of two modes that hold for one task. */
export function stricter(one: SandboxMode, other: SandboxMode): SandboxMode {
  return SANDBOX_MODES.indexOf(one) > SANDBOX_MODES.indexOf(other) ? one : other
}

/** The user's settings for the sandbox of one task. Paths may begin with `~/`. */
export interface SandboxPolicy {
  readonly mode: SandboxMode
  readonly network: SandboxNetwork
  /** Places that agents may write, besides their own. */
  readonly write: readonly string[]
  /** Places that agents may read, although they are hidden otherwise. */
  readonly read: readonly string[]
  /** Places that agents may not read. */
  readonly hide: readonly string[]
}

/** As the last try of the sandbox showed it. */
export type SandboxStanding =
  | { readonly kind: 'works' }
  | { readonly kind: 'untried' }
  | { readonly kind: 'fails'; readonly why: string }

export type SandboxDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'inside' }
  /** It runs without, and its receipt says so. */
  | { readonly kind: 'without'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }

export function sandboxDecision(mode: SandboxMode, standing: () => SandboxStanding): SandboxDecision {
  if (mode === 'off') return { kind: 'none' }
  const now = standing()
  if (now.kind === 'works') return { kind: 'inside' }
  const why = now.kind === 'fails' ? now.why : 'it is being tried'
  return { kind: mode === 'required' || now.kind === 'untried' ? 'refused' : 'without', why }
}
