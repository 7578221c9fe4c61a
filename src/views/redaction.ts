import { withheldFromAgents } from '../coders/withheld-variables.ts'
import { loadConfig } from '../config/load.ts'
import { KnownSecrets } from '../domain/agent/known-secrets.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'

/**
 * Masks secrets for commands that show what an agent wrote, or keep it: those of this process's environment, those that
 * runtime.toml gives to coders, and everything that looks like one. A wrong runtime.toml hides no text from a person.
 */
export async function redaction(home: Home, env: NodeJS.ProcessEnv): Promise<(text: string) => string> {
  const secrets = new KnownSecrets(withheldFromAgents())
  secrets.note(env)
  try {
    const { config } = await loadConfig(home.config)
    for (const { env: given = {} } of Object.values(config.coders)) secrets.noteGiven(given)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  return secrets.redact
}
