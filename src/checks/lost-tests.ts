import { join } from 'node:path'
import { mayHaveTests, type TestCounts, type TextBefore, testCounts } from '../domain/verify/test-counts.ts'
import { readAgentFile } from '../platform/files/agent-file.ts'
import { checkoutIn } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import type { AttemptWork, ChangedWork } from '../ports/verifier.ts'
import { orLastingTrouble } from './lasting-trouble.ts'
import { versionBefore } from './version-before.ts'

/** More of them are generated. */
const MOST_FILES = 1000
const LONGEST = 1 << 20
const ALL_BYTES = 64 << 20

const NONE: TestCounts = { removed: 0, skipped: 0 }

/** By the texts of all changed files, whatever their names: tests also stand beside the code. Without git there are no older ones. */
export async function lostTests({ attempts }: ChangedWork, more: readonly string[]): Promise<TestCounts> {
  const last = attempts.at(-1)
  const checkout = last?.base.kind === 'git' ? checkoutIn(last.base.root) : undefined
  if (last === undefined || checkout === undefined) return NONE
  const of = [...attempts, { base: last.base, changed: more }]
  const texts = await orLastingTrouble(() => looking(checkout, process.env, (git) => textsBefore(git, of)))
  if ('why' in texts) return NONE
  const after = ({ path, text }: TextBefore) => ({ before: text, after: textAt(join(checkout.root, path)) })
  return testCounts(texts.result.map(after))
}

/** The texts of changed files before the first attempt that changed them; '' for one that was not there. */
async function textsBefore(
  git: LookingGit,
  attempts: readonly Pick<AttemptWork, 'base' | 'changed'>[],
): Promise<readonly TextBefore[]> {
  const commits = new Map<string, string>()
  for (const { base, changed } of attempts) {
    const commit = base.kind === 'git' ? await versionBefore(git, base) : null
    for (const path of commit === null ? [] : changed) {
      if (!commits.has(path) && mayHaveTests(path) && isPlain(path)) commits.set(path, commit ?? '')
    }
  }
  const asked = [...commits].slice(0, MOST_FILES)
  if (asked.length === 0) return []
  const input = asked.map(([path, commit]) => `${commit}:${path}\n`).join('')
  const run = await git(['cat-file', '--batch'], { input, maxBytes: ALL_BYTES })
  const out = run.kind === 'ended' ? run.out : Buffer.alloc(0)
  let at = 0
  return asked.flatMap(([path]): TextBefore[] => {
    const end = out.indexOf('\n', at)
    if (end < 0) return []
    const [, kind, size] = out.toString('utf8', at, end).split(' ').slice(-3)
    const isBlob = kind === 'blob'
    at = end + 1
    if (!isBlob) return [{ path, text: '' }]
    const text = out.toString('utf8', at, at + Number(size))
    at += Number(size) + 1
    return [{ path, text }]
  })
}

/** Git takes a name that begins otherwise for another place, and ends. */
function isPlain(path: string): boolean {
  return !/^(?:\/|\.\.?(?:\/|$))|\n/.test(path)
}

function textAt(path: string): string {
  try {
    return readAgentFile(path, LONGEST) ?? ''
  } catch {
    return ''
  }
}
