import { withoutOptions } from './shell-line.ts'

const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile']
const PACKAGE = 'package.json'

/** The names of files that define commands. */
export const DEFINITIONS = [PACKAGE, ...MAKEFILES] as const

/** The lines behind a command whose definition stands in such a file. `textOf`: its text; undefined: there is none. */
export function definedLines(
  words: readonly string[],
  textOf: (name: string) => string | undefined,
): readonly string[] {
  if (/^(?:.*\/)?g?make$/.test(words[0] ?? '')) return MAKEFILES.flatMap((name) => recipesIn(textOf(name) ?? ''))
  const name = packageScript(words)
  if (name === undefined) return []
  return [`pre${name}`, name, `post${name}`].flatMap((each) => scriptIn(textOf(PACKAGE) ?? '', each) ?? [])
}

/** The names by which npm knows its commands that are scripts. */
const SCRIPTS: Readonly<Record<string, string>> = { test: 'test', t: 'test', tst: 'test', start: 'start' }

function packageScript([program = '', ...rest]: readonly string[]): string | undefined {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return undefined
  const [command = '', ...more] = withoutOptions(rest)
  if (command === 'run' || command === 'run-script') return withoutOptions(more)[0]
  // The others run a script by its name alone.
  return SCRIPTS[command] ?? (program === 'npm' || command === '' ? undefined : command)
}

function scriptIn(text: string, name: string): string | undefined {
  try {
    const script: unknown = JSON.parse(text)?.scripts?.[name]
    return typeof script === 'string' ? script : undefined
  } catch {
    return undefined
  }
}

/** All of a Makefile: which of them a target needs is for make to know. */
function recipesIn(text: string): readonly string[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  return lines.filter((line) => line.startsWith('\t')).map((line) => line.replace(/^\t[@+-]*/, ''))
}
