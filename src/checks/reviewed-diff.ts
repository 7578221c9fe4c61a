import { join } from 'node:path'
import { isPlainFile } from '../platform/files/folder.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'

/** Of the text that a reviewer reads; it says where the rest is. */
const MOST_BYTES = 1 << 20
const MOST_NAMED = 500
const MOST_NEW = 50

const DIFF = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty']

/** The changes of these files since a commit, with those that git does not track; undefined: nobody can tell. */
export async function reviewedDiff(
  cwd: string,
  { since, files }: { since: string; files: readonly string[] },
): Promise<string | undefined> {
  const checkout = checkoutAt(cwd)
  if (checkout === undefined || !/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(since)) return undefined
  const named = files.length > MOST_NAMED ? [] : files.map((file) => `:(top,literal)${file}`)
  return await looking(checkout, process.env, async (git) => {
    const tracked = await textOf(git, [...DIFF, since, '--', ...named])
    if (tracked === undefined) return undefined
    const others = (await textOf(git, ['ls-files', '--others', '--exclude-standard', '-z'])) ?? ''
    const fresh = new Set(others.split('\0'))
    const texts = [tracked]
    for (const file of files.filter((each) => fresh.has(each)).slice(0, MOST_NEW)) {
      if (!isPlainFile(join(checkout.root, file))) continue
      texts.push((await textOf(git, [...DIFF, '--no-index', '--', '/dev/null', file], [0, 1])) ?? '')
    }
    return texts.join('')
  })
}

async function textOf(git: LookingGit, argv: readonly string[], accepts = [0]): Promise<string | undefined> {
  const parts: Buffer[] = []
  let left = MOST_BYTES
  const take = (bytes: Uint8Array): void => {
    if (left > 0) parts.push(Buffer.from(bytes.subarray(0, left)))
    left -= bytes.length
  }
  const ended = await git(argv, { take, maxBytes: 1 << 30, timeoutMs: 60_000 })
  const isFine = ended.kind === 'ended' && ended.code !== null && accepts.includes(ended.code)
  return isFine ? Buffer.concat(parts).toString('utf8') : undefined
}
