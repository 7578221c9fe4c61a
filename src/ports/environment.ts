import type { Run } from '../domain/run/run.ts'

/** The variables of agents, and the secrets among them. */
export interface Environment {
  /** Every variable that the agent of a run gets; `letterSecret` signs its letters, `more` are those that its coder adds. */
  of(
    run: Run & { readonly letterSecret?: string | undefined },
    more?: Readonly<Record<string, string>>,
  ): Record<string, string>
  /** Masks the secrets that this supervisor knows, and everything that looks like one. */
  redact(text: string): string
}
