import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'

/**
 * For what only looks: a supervisor keeps the last good configuration and goes on, and a wrong file hides nothing of its
 * work; what is wrong with it is told beside that, because it is why an edit shows no effect.
 */
export async function configurationOf(home: Home): Promise<{ config?: Config; trouble?: string }> {
  try {
    return { config: (await loadConfig(home.config)).config }
  } catch (error) {
    if (error instanceof AppError) return { trouble: error.message }
    throw error
  }
}
