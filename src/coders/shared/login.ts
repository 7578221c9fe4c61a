/** The account that a coder will use, as far as fleet can find out without starting the coder. */
export type Login =
  | { readonly kind: 'variable'; readonly name: string }
  /** The path alone: fleet never reads the file. */
  | { readonly kind: 'file'; readonly path: string }

/** The environment of an agent. */
export type Variables = Readonly<Record<string, string | undefined>>

/** How to find the account that pays for a coder. */
export interface LoginRule {
  find(given: Variables): Login | undefined
  /** The account used if the file that `find` names does not exist. */
  withoutFile?(given: Variables): Login | undefined
  /** Those of these variables that would have decided which account pays. */
  deciding(names: readonly string[]): readonly string[]
  /** The variable that most people have. */
  readonly usual: string
  /** When a variable pays, for people. Absent: before any other account. */
  readonly pays?: string
  /** The service of the Keychain item that the coder reads before the file, on macOS. */
  keychain?(given: Variables): string
  /** A settings file of the coder that can move the login to where fleet cannot see it. */
  settings?(given: Variables): LoginSettings | undefined
  /** Where the login may be if the file is missing, for people. Absent: there is no login then. */
  readonly elsewhere?: string
}

export interface LoginSettings {
  readonly path: string
  /** Where the login is, for people, by the text of the file; undefined: in the usual file. */
  hides(text: string): string | undefined
}
