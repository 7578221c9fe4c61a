const INTERPRETER =
  /^(?:.*\/)?(?:(?:ba|da|z|k|fi)?sh|\.|source|node|nodejs|tsx|ts-node|deno|bun|python[\d.]*|pypy3?|ruby|perl|php|Rscript|lua|julia|elixir|dart|groovy|pwsh)$/
/** Of an interpreter that has commands of its own. */
const RUN = /^(?:run|test|exec)$/

/** The files that a command runs: a path in the place of the program, and what an interpreter is given before its script's own words. */
export function filesRun([program = '', ...rest]: readonly string[]): readonly string[] {
  const found = program.includes('/') ? [program] : []
  if (!INTERPRETER.test(program)) return found
  for (const [i, word] of rest.entries()) {
    const before = rest[i - 1] ?? ''
    if (before === '-m') return [...found, ...modulePaths(word)]
    if (before === '-c' || before === '-e') return found
    const isOption = word.startsWith('-')
    const path = isOption ? word.slice(word.indexOf('=') + 1) : word
    if (path === '' || path.startsWith('-') || (i === 0 && RUN.test(word))) continue
    found.push(path)
    // The word after an option may be its value.
    if (!isOption && !before.startsWith('-') && /[./]/.test(path)) break
  }
  return found
}

function modulePaths(module: string): readonly string[] {
  const path = module.replaceAll('.', '/')
  return [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`]
}

/** Folders with programs that are built and run: `go run ./tools/check`. */
export function foldersRun([program, command, ...rest]: readonly string[]): readonly string[] {
  return program === 'go' && command === 'run' ? rest.filter((word) => word.includes('/')).slice(0, 1) : []
}
