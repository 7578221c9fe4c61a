import { DEFINITIONS, definedLines } from './defined-commands.ts'
import { filesRun, foldersRun } from './files-run.ts'
import { commandsIn } from './shell-line.ts'

/** The scripts that the lines of a verification run themselves, below the top folder of the checkout. */
export interface Scripts {
  readonly files: ReadonlySet<string>
  /** All that is in them. */
  readonly folders: readonly string[]
}

export interface ScriptOrder {
  readonly lines: readonly string[]
  /** The top folder. */
  readonly root: string
  /** Where the lines run, below it. */
  readonly below: string
}

/** How deep a command may lead to others. */
const DEEPEST = 5

/**
 * The scripts of shell lines: what a line names, below every directory that it changes to, and what package.json or a Makefile
 * names for it. It reads no shell: what is taken for a script and is none is only verified once more with its base version.
 * `definitions`: the texts of such files as they were before the work, which could have changed them.
 */
export function scriptsOf({ lines, ...at }: ScriptOrder, definitions: ReadonlyMap<string, string>): Scripts {
  const files = new Set<string>()
  const folders = new Set<string>()
  const seen = new Set<string>()
  const read = (line: string, from: string, depth: number): void => {
    if (depth > DEEPEST || seen.has(`${from}\0${line}`)) return
    seen.add(`${from}\0${line}`)
    for (const { words, directories } of placed(line, { ...at, below: from })) {
      for (const directory of directories) {
        const pathOf = (path: string) => joined(directory, path, at.root) ?? []
        for (const path of filesRun(words).flatMap(pathOf)) files.add(path)
        for (const path of foldersRun(words).flatMap(pathOf)) folders.add(path)
        const textOf = (name: string) => definitions.get(joined(directory, name, at.root) ?? '')
        for (const line of definedLines(words, textOf)) read(line, directory, depth + 1)
      }
    }
  }
  for (const line of lines) read(line, at.below, 0)
  return { files, folders: [...folders] }
}

/** The paths of the files that may define what these lines run. */
export function definitionFiles({ lines, ...at }: ScriptOrder): readonly string[] {
  const directories = lines.flatMap((line) => placed(line, at).flatMap((each) => each.directories))
  return [...new Set([at.below, ...directories])].flatMap((directory) =>
    DEFINITIONS.flatMap((name) => joined(directory, name, at.root) ?? []),
  )
}

/** Each command of a line, with the directories in which it may run. */
function placed(
  line: string,
  { root, below }: Omit<ScriptOrder, 'lines'>,
): readonly { readonly words: readonly string[]; readonly directories: readonly string[] }[] {
  let directories: readonly string[] = [below]
  return commandsIn(line).map((words) => {
    const [program, target] = words
    if ((program === 'cd' || program === 'pushd') && target !== undefined) {
      const further = directories.flatMap((each) => joined(each, target, root) ?? [])
      directories = [...new Set([...directories, ...further])]
    }
    return { words, directories }
  })
}

/** Below the top folder; undefined: outside of it. */
function joined(directory: string, path: string, root: string): string | undefined {
  const isInside = path === root || path.startsWith(`${root}/`)
  if (path.startsWith('/') && !isInside) return undefined
  const names: string[] = []
  for (const name of (isInside ? path.slice(root.length) : `${directory}/${path}`).split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names.join('/')
}
