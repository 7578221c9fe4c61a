import { type Withholds, withholding } from '../domain/agent/withholding.ts'
import { CODERS } from './registry.ts'

/** The variables that no agent inherits, with the rules of every coder. `pass` is `env_pass` of runtime.toml. */
export function withheldFromAgents(pass: readonly string[] = []): Withholds {
  return withholding(
    CODERS.map((coder) => coder.variables),
    pass,
  )
}
