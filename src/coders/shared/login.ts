/** The account that a coder will use, as far as that can be told without asking it. */
export type Login =
  | { readonly kind: 'variable'; readonly name: string }
  /** Only where it is: what is in it is not ours to read. */
  | { readonly kind: 'file'; readonly path: string }

/** What an agent is given. */
export type Variables = Readonly<Record<string, string | undefined>>
