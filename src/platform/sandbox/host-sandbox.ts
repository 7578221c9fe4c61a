import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path'
import { inForce, type SandboxPlaces, sandboxRules } from '../../domain/sandbox/rules.ts'
import type { SandboxNetwork, SandboxStanding } from '../../domain/sandbox/sandbox.ts'
import { namedSockets } from '../../domain/sandbox/sockets.ts'
import { AppError } from '../../errors.ts'
import { DirectoryMoved, type EnclosedCommand, type Sandbox, type SandboxPlace } from '../../ports/sandbox.ts'
import { realPathOf } from '../files/same-folder.ts'
import { trySandbox } from './probe.ts'
import { repositoryAround } from './repository.ts'
import { argvOf, standing, type Way } from './ways.ts'

/** A failure is tried again after so long: bubblewrap may have been installed meanwhile. */
const TRY_AGAIN_MS = 10_000

export interface HostSandboxOptions {
  readonly fleetHome: string
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  readonly program: { readonly node: string; readonly fleet: string }
  /** Where this coder keeps its login, settings and sessions, and where all others do. */
  storesOf(
    coder: string,
    env: Readonly<Record<string, string>>,
  ): {
    own: readonly {
      readonly path: string
      readonly isProgram: boolean
      /** Not written. With the text that a new file has. */
      readonly kept: readonly { readonly path: string; readonly text?: string }[]
    }[]
    others: readonly string[]
  }
}

/** The sandbox of this machine: bubblewrap on Linux, sandbox-exec on macOS. */
export class HostSandbox implements Sandbox {
  readonly #options: HostSandboxOptions
  readonly #found = new Map<SandboxNetwork, Found>()
  readonly #trying = new Map<SandboxNetwork, Promise<void>>()

  constructor(options: HostSandboxOptions) {
    this.#options = options
  }

  standing(network: SandboxNetwork): SandboxStanding {
    const found = this.#found.get(network)
    if (found === undefined || (found.standing.kind === 'fails' && performance.now() - found.at > TRY_AGAIN_MS)) {
      void this.try(network)
    }
    return found?.standing ?? { kind: 'untried' }
  }

  /** Never rejects. */
  async try(network: SandboxNetwork): Promise<SandboxStanding> {
    const { env, isRoot } = this.#options
    if (!this.#trying.has(network)) {
      const tried = trySandbox(network, { env, isRoot }).then((result) => {
        const standing: SandboxStanding = 'fails' in result ? { kind: 'fails', why: result.fails } : { kind: 'works' }
        const way = 'fails' in result ? undefined : result.way
        this.#found.set(network, { standing, way, at: performance.now() })
        this.#trying.delete(network)
      })
      this.#trying.set(network, tried)
    }
    await this.#trying.get(network)
    return this.#found.get(network)?.standing ?? { kind: 'untried' }
  }

  enclose(command: EnclosedCommand, place: SandboxPlace): Pick<EnclosedCommand, 'program' | 'args'> {
    const { network } = place.policy
    const way = this.#found.get(network)?.way
    if (way === undefined) throw new AppError('unsupported', 'no sandbox works here', { hint: 'fleet doctor says why' })
    const cwd = realPathOf(command.cwd) ?? command.cwd
    const named = this.#named(command)
    if (cwd !== named) throw new DirectoryMoved(command.cwd, cwd)
    const rules = inForce(sandboxRules(this.#places({ ...command, cwd }, place)), standing)
    const [program = '', ...args] = argvOf({ ...command, cwd, rules, network }, way)
    return { program, args }
  }

  /** A home may be reached through a link, which a person made; an agent could have made each link below. */
  #named({ cwd, env }: EnclosedCommand): string {
    const home = [this.#options.fleetHome, env['HOME'] || '/'].find((path) => `${cwd}/`.startsWith(join(path, '/')))
    return home === undefined ? cwd : join(realPathOf(home) ?? home, relative(home, cwd))
  }

  #places({ cwd, env, program }: EnclosedCommand, place: SandboxPlace): SandboxPlaces {
    const { fleetHome, isRoot, program: own, storesOf } = this.#options
    const userHome = env['HOME'] || '/'
    const { policy } = place
    const stores = storesOf(place.coder, env)
    // A coder makes its folder when it first runs, and it could not inside.
    for (const { path, isProgram, kept } of stores.own) {
      if (isProgram || path.endsWith('.json')) continue
      makeFolder(path)
      // A place that is not there cannot be guarded.
      for (const { path, text } of kept) text === undefined ? makeFolder(path) : makeFile(path, text)
    }
    const found = repositoryAround(cwd)
    // A repository of a whole home directory is for its settings: a task in a project below does not write all of it.
    const isWide = found?.root !== cwd && [realPathOf(userHome), '/'].includes(found?.root)
    const repository = isWide ? undefined : found
    const paths = (given: readonly string[]) => given.map((path) => path.replace(/^~(?=\/|$)/, userHome))
    return {
      userHome,
      otherHomes: isRoot ? homes().filter((home) => home !== userHome) : [],
      fleetHome,
      taskFolder: place.taskFolder,
      written: place.written,
      temporary: place.temporary,
      handedOver: place.handedOver,
      tree: repository?.root ?? cwd,
      repository,
      ownStore: stores.own.filter(({ isProgram }) => !isProgram).map(({ path }) => path),
      kept: stores.own.flatMap(({ path, isProgram, kept }) => (isProgram ? [path] : kept.map((each) => each.path))),
      otherStores: stores.others,
      programs: [
        ...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute),
        ...[own.node, program].flatMap((path) => [path, realPathOf(path) ?? path]),
        dirname(dirname(own.fleet)),
      ],
      write: paths(policy.write),
      read: paths(policy.read),
      hide: [...namedSockets(env), ...paths(policy.hide)],
    }
  }
}

interface Found {
  readonly standing: SandboxStanding
  readonly way: Way | undefined
  /** Of the monotonic clock. */
  readonly at: number
}

function homes(): readonly string[] {
  try {
    return ['/root', ...readdirSync('/home').map((name) => join('/home', name))]
  } catch {
    return ['/root']
  }
}

function makeFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch {
    // It is there, or the coder says itself what it cannot read.
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch {
    // The coder says itself what it cannot write.
  }
}
