import { publicRemote, type Repository } from '../domain/task/repository.ts'
import { realPathOf } from '../platform/files/paths.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import { repositorySettings, userSettings } from '../platform/git/settings.ts'

/** The repository that a directory is a checkout of, for machines that have to clone it; undefined: none that they can reach. */
export async function repositoryAt(cwd: string, env: NodeJS.ProcessEnv): Promise<Repository | undefined> {
  const checkout = checkoutAt(cwd)
  if (checkout === undefined) return undefined
  const own = repositorySettings(checkout)
  const url = own.get('remote.origin.url')
  if (url === undefined) return undefined
  const remote = publicRemote(rewritten(url, new Map([...(await userSettings(env, checkout.root)), ...own])))
  return remote === undefined ? undefined : { remote, folder: wayDown(checkout.root, realPathOf(cwd)) ?? '' }
}

/** `url.<base>.insteadOf`: the longest beginning that fits is replaced. */
function rewritten(url: string, settings: ReadonlyMap<string, string>): string {
  const rules = [...settings].flatMap(([key, beginning]) => {
    const base = /^url\.(.*)\.insteadof$/s.exec(key)?.[1]
    return base !== undefined && beginning !== '' && url.startsWith(beginning) ? [{ base, beginning }] : []
  })
  const [rule] = rules.sort((a, b) => b.beginning.length - a.beginning.length)
  return rule === undefined ? url : `${rule.base}${url.slice(rule.beginning.length)}`
}
