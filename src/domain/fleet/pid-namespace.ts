export const PID_NAMESPACES = ['auto', 'on', 'off'] as const

export type PidNamespace = (typeof PID_NAMESPACES)[number]

interface Here {
  /** Whether this user can start an agent in its own pid namespace. */
  readonly hasPidNamespaces: boolean
  readonly isRoot: boolean
}

/** Whether agents get a pid namespace of their own. `lacks`: none may be started, because there is none for it. */
export function namespaceFor(
  wanted: PidNamespace,
  { hasPidNamespaces, isRoot }: Here,
): boolean | { readonly lacks: string } {
  if (wanted !== 'on' || hasPidNamespaces) return wanted !== 'off' && hasPidNamespaces
  const why = isRoot ? 'this machine makes none' : 'only root can make one'
  return {
    lacks: `pid_namespace is "on", and ${why}: fleet doctor says more; fleet config set pid_namespace=auto goes on without`,
  }
}
