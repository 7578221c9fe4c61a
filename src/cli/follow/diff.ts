import { isAbsolute, join } from 'node:path'
import { isObject } from '../../domain/task/settings.ts'
import { AppError } from '../../errors.ts'
import { readText } from '../../platform/files/files.ts'
import { readGit } from '../../platform/process/git.ts'
import { writeBytes } from '../../platform/terminal/output.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import type { Call } from '../command.ts'
import { type Line, painted, type Style } from '../render/painted.ts'
import { plainLine } from '../render/plain.ts'
import { linesInto } from './lines.ts'

/** The most new files that are named. */
const NAMED = 20

/** What is different in the checkout since before an attempt; new files that git does not know are named beside it. */
export async function showDiff(call: Call, folder: string): Promise<void> {
  const { root, head } = baseIn(folder)
  const since = head ?? (await emptyTree(call, root))
  const screen = terminal(call.env)
  const sink =
    screen === undefined
      ? { feed: writeBytes, end: () => {} }
      : linesInto((line) => call.show(painted([diffLine(line)], screen)))
  const options = ['--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short']
  await readGit(['-C', root, 'diff', ...options, since, '--'], { env: call.env, take: (bytes) => sink.feed(bytes) })
  sink.end()
  const files = (await told(call, ['-C', root, 'ls-files', '--others', '--exclude-standard', '-z']))
    .split('\0')
    .filter((name) => name !== '')
  if (files.length === 0) return
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : ''
  call.warn(`new files, not in the diff: ${files.slice(0, NAMED).map(plainLine).join(', ')}${more}`)
}

interface GitBase {
  readonly root: string
  /** null: there was no commit yet. */
  readonly head: string | null
}

/** As the supervisor recorded it before the attempt began; still checked, because it becomes arguments of a program. */
function baseIn(folder: string): GitBase {
  const path = join(folder, 'launch.json')
  const text = readText(path)
  if (text === undefined) {
    throw new AppError('not-found', `${path} is not there`, {
      hint: 'the supervisor writes it before it starts an agent',
    })
  }
  const base = parsed(text)
  if (isObject(base) && base['kind'] === 'git') {
    const { root, head } = base
    const known = head === null || (typeof head === 'string' && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(head))
    if (typeof root === 'string' && isAbsolute(root) && known) return { root, head: head as string | null }
  }
  if (isObject(base) && base['kind'] === 'folder') {
    throw new AppError('failed', 'its directory was no git checkout, so there is no diff', {
      hint: 'the receipt names the files that changed',
    })
  }
  if (base === null) {
    throw new AppError('failed', 'a script is judged by its exit alone, so nobody noted where it began', {
      hint: 'git diff in its directory shows what is not committed',
    })
  }
  throw new AppError('failed', `${path} does not say where the attempt began`, { hint: 'somebody has changed it' })
}

function parsed(text: string): unknown {
  try {
    const launch: unknown = JSON.parse(text)
    return isObject(launch) ? launch['base'] : undefined
  } catch {
    return undefined
  }
}

async function emptyTree(call: Call, root: string): Promise<string> {
  return (await told(call, ['-C', root, 'hash-object', '-t', 'tree', '/dev/null'])).trim()
}

async function told(call: Call, argv: readonly string[]): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += decoder.decode(bytes, { stream: true })
  }
  await readGit(argv, { env: call.env, take })
  return text
}

function diffLine(line: string): Line {
  const style = STYLES[line[0] ?? '']
  return [style === undefined ? { text: line } : { text: line, style }]
}

const STYLES: Readonly<Record<string, Style>> = { '+': 'green', '-': 'red', '@': 'dim' }
