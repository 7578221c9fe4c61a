import { isAbsolute } from 'node:path'
import type { Effect } from './effect.ts'
import { gitConfigEffects } from './git-config-effects.ts'
import { ASSIGNMENT, type ShellCommand, shellCommands, type Word } from './shell-commands.ts'
import { after, pathOf, withoutValues } from './shell-words.ts'

export interface ShellPlace {
  /** Where the line runs; undefined: nobody knows. */
  readonly cwd: string | undefined
  /** The variables whose values are known. */
  readonly variables: Readonly<Record<string, string>>
}

/** Conservative, and never complete: what an interpreter or a script does stands in no line. */
export function shellEffects(line: string, place: ShellPlace, level = 0): readonly Effect[] {
  if (level > DEEPEST) return []
  const found: Effect[] = []
  // Where each level of parentheses is.
  const at: (string | undefined)[] = [place.cwd]
  for (const command of shellCommands(line, {
    ...place.variables,
    ...(place.cwd !== undefined && { PWD: place.cwd }),
  })) {
    at.length = Math.min(at.length, command.depth + 1)
    while (at.length < command.depth + 1) at.push(at.at(-1))
    const cwd = at[command.depth]
    const moved = effectsOf(command, { ...place, cwd }, { found, level })
    if (moved !== 'stays') at[command.depth] = moved
  }
  return found
}

const DEEPEST = 5

/** Where the next command runs, if this one says so. */
function effectsOf(
  { words, writes }: ShellCommand,
  place: ShellPlace,
  { found, level }: { found: Effect[]; level: number },
): string | undefined | 'stays' {
  const add = (does: 'writes' | 'deletes', by: string, paths: readonly Word[]): void => {
    for (const word of paths) found.push({ does, by, path: pathOf(word, place.cwd) })
  }
  const { name, args } = withoutPrefixes(words)
  // There `>` compares.
  if (name !== '[[') add('writes', name === '' ? '>' : name, writes)
  const plain = args.filter(({ text }) => !text.startsWith('-') || text === '-')
  switch (name) {
    case 'cd':
    case 'pushd':
      return plain[0] === undefined ? place.variables['HOME'] : pathOf(plain[0], place.cwd)
    case 'popd':
      return undefined
    case 'sh':
    case 'bash':
    case 'zsh':
    case 'dash':
    case 'eval': {
      const script = name === 'eval' ? args.map(({ text }) => text).join(' ') : scriptOf(args)
      if (script !== undefined) found.push(...shellEffects(script, place, level + 1))
      return 'stays'
    }
    case 'rm':
    case 'rmdir':
    case 'unlink':
    case 'shred':
    case 'trash':
      add('deletes', name, plain)
      return 'stays'
    case 'mv':
      add('deletes', name, toFolder(args, plain).sources)
      add('writes', name, toFolder(args, plain).target)
      return 'stays'
    case 'ln':
      // A hard link is the file itself, under a name at which it may be written.
      if (!args.some(({ text }) => /^-[a-zA-Z]*s|^--symbolic$/.test(text)))
        add('writes', name, toFolder(args, plain).sources)
      add('writes', name, toFolder(args, plain).target)
      return 'stays'
    case 'cp':
    case 'install':
    case 'rsync':
    case 'scp':
      add('writes', name, toFolder(args, plain).target)
      return 'stays'
    case 'tee':
    case 'touch':
    case 'mkdir':
    case 'mkfifo':
    case 'truncate':
      add('writes', name, withoutValues(args, VALUES[name]))
      return 'stays'
    case 'chmod':
    case 'chown':
    case 'chgrp':
      add('writes', name, plain.slice(1))
      return 'stays'
    case 'sed':
    case 'perl':
      if (args.some(({ text }) => /^-[a-zA-Z0-9]*i/.test(text) || text.startsWith('--in-place'))) {
        add('writes', name, withoutScript(args))
      }
      return 'stays'
    case 'dd':
      add(
        'writes',
        name,
        args.flatMap((word) => (word.text.startsWith('of=') ? [{ ...word, text: word.text.slice(3) }] : [])),
      )
      return 'stays'
    case 'curl':
    case 'wget':
      add('writes', name, after(args, name === 'curl' ? ['-o', '--output'] : ['-O', '--output-document']))
      return 'stays'
    case 'find': {
      const deletes = args.some(({ text }) => text === '-delete' || text === 'rm')
      const from = args.findIndex(({ text }) => /^[-(!]/.test(text))
      if (deletes) add('deletes', name, args.slice(0, from === -1 ? undefined : from))
      return 'stays'
    }
    case 'git':
      found.push(...gitEffects(args, place))
      return 'stays'
    default:
      return 'stays'
  }
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  touch: ['-d', '-t', '-r', '--date', '--reference'],
  mkdir: ['-m', '--mode'],
  truncate: ['-s', '--size', '-r', '--reference'],
}

const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', 'time'])
/** Commands that start the one after their options, with the options that take a value. */
const WRAPPERS: ReadonlyMap<string, { readonly letters: string; readonly long: readonly string[] }> = new Map(
  Object.entries({
    sudo: {
      letters: 'ughpCDRrtTU',
      long: ['user', 'group', 'host', 'prompt', 'close-from', 'chdir', 'chroot', 'role', 'type', 'other-user'],
    },
    doas: { letters: 'uC', long: [] },
    env: { letters: 'uC', long: ['unset', 'chdir'] },
    exec: { letters: 'a', long: [] },
    nice: { letters: 'n', long: ['adjustment'] },
    ionice: { letters: 'cnpPu', long: ['class', 'classdata'] },
    stdbuf: { letters: 'ioe', long: ['input', 'output', 'error'] },
    timeout: { letters: 'sk', long: ['signal', 'kill-after'] },
    xargs: {
      letters: 'IJRSLnPsdEa',
      long: ['replace', 'max-lines', 'max-args', 'max-procs', 'max-chars', 'delimiter', 'eof', 'arg-file'],
    },
    ...Object.fromEntries(
      ['command', 'builtin', 'nohup', 'setsid', 'busybox'].map((name) => [name, { letters: '', long: [] }]),
    ),
  }),
)

/** Whether the next word is the value of this option: `-u me`, `-nu me`, `--user me`, and not `-ume` or `--user=me`. */
function takesNext(option: string, wrapper: string): boolean {
  const { letters = '', long = [] } = WRAPPERS.get(wrapper) ?? {}
  if (option.startsWith('--')) return long.includes(option.slice(2))
  const first = [...option].findIndex((letter, i) => i > 0 && letters.includes(letter))
  return first !== -1 && first === option.length - 1
}

/** `sudo -u me FOO=1 rm x` is a `rm`. */
function withoutPrefixes(words: readonly Word[]): { readonly name: string; readonly args: readonly Word[] } {
  let rest = [...words]
  let wrapper: string | undefined
  for (;;) {
    const [first, ...more] = rest
    if (first === undefined) return { name: '', args: [] }
    const name = first.text.split('/').at(-1) ?? ''
    const isOption = wrapper !== undefined && (first.text.startsWith('-') || /^\d/.test(first.text))
    if (isOption) rest = takesNext(first.text, wrapper ?? '') ? more.slice(1) : more
    else if (KEYWORDS.has(first.text) || ASSIGNMENT.test(first.text)) rest = more
    else if (WRAPPERS.has(name)) {
      wrapper = name
      rest = name === 'xargs' ? fromInput(more) : more
    } else return { name, args: more }
  }
}

/** What comes from the input of `xargs` is an argument that nobody can tell: the last one, or in place of `{}`. */
function fromInput(words: readonly Word[]): Word[] {
  const unsure = { text: '', isSure: false }
  return [...words.map((word) => (word.text.includes('{}') ? { ...word, isSure: false } : word)), unsure]
}

/** `-c script`, `-lc script`. */
function scriptOf(args: readonly Word[]): string | undefined {
  const at = args.findIndex(({ text }) => /^-[a-z]*c$/.test(text))
  return at === -1 ? undefined : args[at + 1]?.text
}

/** The last argument is where it goes, unless `-t` names that. */
function toFolder(
  args: readonly Word[],
  plain: readonly Word[],
): { sources: readonly Word[]; target: readonly Word[] } {
  const named = after(args, ['-t', '--target-directory'])
  if (named.length > 0) return { sources: plain.filter((word) => !named.includes(word)), target: named }
  return plain.length < 2 ? { sources: plain, target: [] } : { sources: plain.slice(0, -1), target: plain.slice(-1) }
}

/** The script of `sed -i` is an argument of its own, or follows `-e`. */
function withoutScript(args: readonly Word[]): readonly Word[] {
  const scripts = after(args, ['-e', '-f', '-pe', '-ne', '-i.bak'])
  const plain = args.filter((word) => !word.text.startsWith('-') && word.text !== '' && !scripts.includes(word))
  return scripts.length > 0 ? plain : plain.slice(1)
}

/** They change nothing of the repository or its tree. */
const GIT_READS = new Set([
  ...['status', 'log', 'diff', 'show', 'blame', 'grep', 'ls-files', 'ls-tree', 'rev-parse', 'rev-list', 'cat-file'],
  ...[
    'describe',
    'shortlog',
    'for-each-ref',
    'name-rev',
    'merge-base',
    'check-ignore',
    'whatchanged',
    'help',
    'version',
  ],
  ...['show-ref', 'diff-tree', 'diff-index', 'diff-files', 'count-objects', 'ls-remote', 'var', 'check-attr', 'fetch'],
])

function gitEffects(args: readonly Word[], place: ShellPlace): readonly Effect[] {
  let { cwd } = place
  let at = 0
  for (; at < args.length; at++) {
    const { text } = args[at] as Word
    if (text === '-C' || text === '--git-dir' || text === '--work-tree') {
      const folder = args[++at]
      cwd = folder === undefined ? undefined : pathOf(folder, cwd)
    } else if (/^--(git-dir|work-tree)=/.test(text)) {
      cwd = pathOf({ text: text.replace(/^[^=]*=/, ''), isSure: args[at]?.isSure === true }, cwd)
    } else if (text === '-c') at++
    else if (!text.startsWith('-')) break
  }
  const [command, ...rest] = args.slice(at)
  const has = (...names: readonly string[]): boolean => rest.some(({ text }) => names.includes(text))
  const by = `git ${command?.text ?? ''}`
  const inTree: Effect = { does: 'writes', path: cwd, by, tree: true }
  switch (command?.text ?? 'help') {
    case 'push':
      return [{ does: 'pushes' }]
    case 'config':
      return gitConfigEffects(rest, { ...place, cwd })
    case 'branch':
    case 'tag':
    case 'remote':
    case 'stash':
    case 'reflog':
      return rest.length === 0 || has('-l', '--list', '-v', '-vv', '-a', '-r', 'list', 'show', '--show-current')
        ? []
        : [inTree]
    case 'clone':
    case 'init':
    case 'worktree': {
      const [target] = rest.filter(({ text }) => isAbsolute(text) || text.startsWith('..')).slice(-1)
      return target === undefined ? (has('list') ? [] : [inTree]) : [{ does: 'writes', by, path: pathOf(target, cwd) }]
    }
    default:
      return GIT_READS.has(command?.text ?? 'help') ? [] : [inTree]
  }
}
