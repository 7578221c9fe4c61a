import { join } from 'node:path'
import type { Effect } from './effect.ts'
import type { Word } from './shell-commands.ts'
import { after, pathOf, withoutValues } from './shell-words.ts'

/** Options of `git config` that take a value, and are none of its words. */
const VALUES = ['-f', '--file', '--blob', '--type', '-t', '--default', '--comment', '--value', '--url']
const READS = /^(--get(-.*)?|--list|-l)$/
const WRITES = /^(--add|--replace-all|--unset(-all)?|--rename-section|--remove-section|--edit|-e)$/
/** The words of newer versions, in place of these options. */
const READING = new Set(['get', 'list'])
const WRITING = new Set(['set', 'unset', 'edit', 'rename-section', 'remove-section'])

interface Place {
  readonly cwd: string | undefined
  readonly variables: Readonly<Record<string, string>>
}

/** The settings that a call of `git config` with these words changes. */
export function gitConfigEffects(words: readonly Word[], { cwd, variables }: Place): readonly Effect[] {
  const end = words.findIndex(({ text }) => text === '--')
  const args = end === -1 ? words : words.slice(0, end)
  const plain = [...withoutValues(args, VALUES), ...(end === -1 ? [] : words.slice(end + 1))].map(({ text }) => text)
  const has = (pattern: RegExp): boolean => args.some(({ text }) => pattern.test(text))
  const [first = ''] = plain
  const isWrite = has(WRITES) || WRITING.has(first) || (!has(READS) && !READING.has(first) && plain.length > 1)
  if (!isWrite) return []
  const by = 'git config'
  const home = variables['HOME']
  if (has(/^--global$/))
    return [{ does: 'writes', by, path: home === undefined ? undefined : join(home, '.gitconfig') }]
  if (has(/^--system$/)) return [{ does: 'writes', by, path: '/etc/gitconfig' }]
  const joined = args.find(({ text }) => text.startsWith('--file='))
  const [file] = [...after(args, ['-f', '--file']), ...(joined ? [{ ...joined, text: joined.text.slice(7) }] : [])]
  if (file !== undefined) return [{ does: 'writes', by, path: pathOf(file, cwd) }]
  // An agent without a name for its commits sets one, and that starts nothing.
  const key = WRITING.has(first) ? plain[1] : first
  if (/^user\.(name|email)$/i.test(key ?? '') && !has(/^(--edit|-e)$/)) return []
  return [{ does: 'configures', from: cwd, by }]
}
