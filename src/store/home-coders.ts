import { coderFor, coderNames, startCost } from '../coders/registry.ts'
import { configuredCoder } from '../coders/user/configured.ts'
import { forgottenCoder } from '../coders/user/forgotten.ts'
import { coderOfModule } from '../coders/user/module.ts'
import { coderFiles } from '../config/coder-files.ts'
import { fileInForce, textOf } from '../config/in-force.ts'
import type { Config } from '../config/schema.ts'
import { ownEntry } from '../domain/text/own-entry.ts'
import { versionIn } from '../domain/text/version.ts'
import { AppError } from '../errors.ts'
import { fileStamp } from '../platform/files/files.ts'
import type { Home } from '../platform/files/home.ts'
import { exec, outputText, VERSION_BYTES } from '../platform/process/exec.ts'
import { findProgram } from '../platform/process/program.ts'
import { loadModule } from '../platform/runtime/module.ts'
import type { Coder } from '../ports/coder.ts'
import type { Coders } from '../ports/coders.ts'

export interface CoderPlace {
  readonly home: Home
  readonly blocks: Config['coders']
  /** The output of `<binary> --version`; undefined: it fails. */
  versionOf(binary: string): Promise<string | undefined>
}

/**
 * The coder of that name in this home: one of fleet's, or one of the user's files, each changed by its block in runtime.toml;
 * or one that runtime.toml alone describes. undefined: there is none that fleet can run. Throws AppError if its description
 * is wrong.
 */
export async function findCoder(name: string, { home, blocks, versionOf }: CoderPlace): Promise<Coder | undefined> {
  const block = ownEntry(blocks, name)
  const base = coderNames().includes(name) ? await coderFor(name) : await fileCoder(name, home)
  if (block?.command !== undefined) return await configuredCoder(name, block, base)
  const version = base?.forVersion === undefined ? undefined : await versionOf(base.binary)
  const fitting = version === undefined ? base : base?.forVersion?.(version)
  return block === undefined ? fitting : await configuredCoder(name, block, fitting)
}

async function fileCoder(name: string, home: Home): Promise<Coder | undefined> {
  const file = coderFiles(home.coders).get(name) ?? `${home.coders}/${name}.mjs`
  // Read once: the bytes that were compared are the bytes that run.
  const { standing, inForce } = fileInForce(home, file)
  const text = textOf(file, inForce)
  if (text === undefined && standing !== 'held') return undefined
  if (text === undefined) {
    throw new AppError('config', `${file} is not run: it was added while agents ran`, {
      hint: 'fleet config accept shows it and takes it in; fleet config revert removes it',
    })
  }
  const { default: exported } = await loadModule(file, { text, isOnDisk: standing !== 'held' })
  return coderOfModule(exported, { name, file })
}

export interface HomeCodersOptions {
  /** The configuration as it is now. */
  config(): Config
  readonly env: NodeJS.ProcessEnv
}

/** The coders of a home. Each is looked up anew, because a supervisor runs for days. */
export function homeCoders(home: Home, { config, env }: HomeCodersOptions): Coders {
  const versionOf = rememberedVersions(env)
  return {
    async find(name) {
      try {
        const found = await findCoder(name, { home, blocks: config().coders, versionOf })
        return found ?? { problem: `no coder is called ${name}: runtime.toml and ${home.coders} know of none` }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { problem: error.message }
      }
    },
    forgotten: forgottenCoder,
    versionOf: async (binary) => versionIn((await versionOf(binary)) ?? ''),
    startCost: (name) => startCost(config().coders[name]?.format ?? name),
  }
}

const VERSION_MS = 5000

/** How long a program that did not print a version is not asked again: each try may take the whole timeout. */
const UNANSWERED_MS = 60_000

/** Asks each program once; again when its file has changed, since coders update themselves, or a while after a failure. */
function rememberedVersions(env: NodeJS.ProcessEnv): CoderPlace['versionOf'] {
  const answers = new Map<string, Promise<string | undefined>>()
  return (binary) => {
    const path = findProgram(binary, env)
    if (path === undefined) return Promise.resolve(undefined)
    const key = `${path} ${fileStamp(path)}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = askVersion(path, env).then((version) => {
      if (version === undefined) setTimeout(() => answers.delete(key), UNANSWERED_MS).unref()
      return version
    })
    answers.set(key, answer)
    return answer
  }
}

async function askVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const run = await exec(path, { argv: ['--version'], timeoutMs: VERSION_MS, maxBytes: VERSION_BYTES, env })
  return run.kind === 'ended' && run.code === 0 ? outputText(run) : undefined
}
