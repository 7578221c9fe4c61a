import { permissionsLine } from '../config/permissions.ts'
import type { Config } from '../config/schema.ts'
import { account } from '../platform/runtime/machine.ts'

/** The effect of the configured permissions for the account that fleet runs as. */
export function permissionsHere(level: Config['permissions']): string {
  return permissionsLine(level, account())
}
