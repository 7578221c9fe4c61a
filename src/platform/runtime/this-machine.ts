import { homedir } from 'node:os'
import type { Machine } from '../../ports/machine.ts'
import { directoryProblem, realPathOf } from '../files/paths.ts'
import { unwritable } from '../files/permissions.ts'
import { isSameFolder, wayDown } from '../files/same-folder.ts'
import { changedAt, findProgram } from '../process/program.ts'
import { atMostEvery } from './at-most-every.ts'
import { isFreePort } from './free-port.ts'
import { newKeyPair } from './key-pair.ts'
import { account, availableMemory, freeDisk, hostName, processors } from './machine.ts'
import { openFilesLimit } from './open-files-limit.ts'

/** Every claim asks for the free memory. */
const MEMORY_EVERY = 1000

/** `home`: whose disk must not run full; `env`: where programs are looked for. */
export function thisMachine(
  home: string,
  { env, hasPidNamespaces }: { env: NodeJS.ProcessEnv; hasPidNamespaces: boolean },
): Machine {
  return {
    findProgram: (name) => findProgram(name, env),
    changedAt,
    directoryProblem,
    isSameFolder,
    contains: (folder, path) => wayDown(folder, path) !== undefined,
    userHome: realPathOf(homedir()),
    realPath: realPathOf,
    homeProblem: () => unwritable([home, `${home}/tasks`]),
    openFilesLimit,
    isFreePort,
    freeDisk: () => freeDisk(home),
    freeMemory: atMostEvery(MEMORY_EVERY, () => availableMemory()),
    processors: processors(),
    hostName: hostName(),
    hasPidNamespaces,
    isRoot: account().isRoot,
    newId: () => crypto.randomUUID(),
    newKeyPair,
    chance: Math.random,
  }
}
