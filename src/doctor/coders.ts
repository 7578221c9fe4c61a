import { coderNames } from '../coders/registry.ts'
import { coderFiles } from '../config/coder-files.ts'
import type { Config } from '../config/schema.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { findProgram } from '../platform/process/program.ts'
import { findCoder } from '../store/home-coders.ts'
import type { Check } from './check.ts'

export interface OwnCoders {
  readonly home: Home
  readonly blocks: Config['coders']
  /** The coders that the configuration names: a missing one is worth a warning. */
  readonly wanted: ReadonlySet<string>
}

/** Coders with a command or a file of the user. doctor looks for their programs, and starts none: it may do anything. */
export async function checkOwnCoders(env: NodeJS.ProcessEnv, own: OwnCoders): Promise<Check[]> {
  const files = coderFiles(own.home.coders)
  const named = Object.keys(own.blocks).filter((name) => own.blocks[name]?.command !== undefined)
  const taken = [...files.keys()].filter((name) => coderNames().includes(name))
  const names = new Set([...named, ...files.keys()].filter((name) => !taken.includes(name) || named.includes(name)))
  return [
    ...taken.map((name) => unusedFile(name, files.get(name) ?? '')),
    ...(await Promise.all(Array.from(names, (name) => checkOne(name, env, own)))),
  ]
}

function unusedFile(name: string, file: string): Check {
  return {
    name: `coder file ${name}`,
    state: 'warn',
    found: `${file} is not used: fleet has a coder ${name} of its own`,
    todo: 'give it another name',
  }
}

async function checkOne(name: string, env: NodeJS.ProcessEnv, { home, blocks, wanted }: OwnCoders): Promise<Check> {
  const title = `coder ${name}`
  try {
    const coder = await findCoder(name, { home, blocks, versionOf: async () => undefined })
    if (coder === undefined) {
      const format = blocks[name]?.format ?? 'unknown'
      return { name: title, state: 'warn', found: `fleet cannot read its format yet: ${format}` }
    }
    const by = blocks[name]?.command === undefined ? 'a file of your own' : 'runtime.toml'
    const path = findProgram(coder.binary, env)
    if (path !== undefined) return { name: title, state: 'ok', found: `${path} (by ${by})` }
    const found = `${coder.binary} is not found, or not executable (by ${by})`
    if (!wanted.has(name)) return { name: title, state: 'info', found }
    return { name: title, state: 'warn', found, todo: `install ${coder.binary}, or fleet config set coder=...` }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { message, hint } = error
    return { name: title, state: 'warn', found: message, ...(hint === undefined ? {} : { todo: hint }) }
  }
}
