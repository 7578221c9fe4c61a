import { dirname, join } from 'node:path'
import { publicRemote, type Repository } from '../domain/task/repository.ts'
import { entryAt } from '../platform/files/folder.ts'
import { readGit } from '../platform/process/git.ts'

/** The repository that a directory is a checkout of, for machines that have to clone it; undefined: none that they can reach. */
export async function repositoryAt(cwd: string, env: NodeJS.ProcessEnv): Promise<Repository | undefined> {
  if (!isBelowCheckout(cwd)) return undefined
  const ask = async (...argv: readonly string[]): Promise<string> => {
    const pieces: string[] = []
    const take = (bytes: Uint8Array): void => void pieces.push(Buffer.from(bytes).toString('utf8'))
    await readGit(['-C', cwd, ...argv], { env, take })
    return pieces.join('').replace(/\n$/, '')
  }
  try {
    const [url, folder] = await Promise.all([ask('remote', 'get-url', 'origin'), ask('rev-parse', '--show-prefix')])
    const remote = publicRemote(url)
    return remote === undefined ? undefined : { remote, folder: folder.replace(/\/$/, '') }
  } catch {
    // No origin, no git, or a checkout that git refuses to read: other machines cannot clone it.
    return undefined
  }
}

/** Saves starting git where there is no checkout, which is most of the time. */
function isBelowCheckout(cwd: string): boolean {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsAt(join(at, '.git'))) return true
    if (dirname(at) === at) return false
  }
}

function existsAt(path: string): boolean {
  try {
    return entryAt(path) !== undefined
  } catch {
    return false
  }
}
