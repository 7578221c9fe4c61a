import type { VerifyCommand } from './verification.ts'

/** Why a file counts for a verification: a change of it may make work pass that would not. */
export type GuardKind = 'test' | 'ci' | 'configuration' | 'script'

/**
 * Files that decide whether work passes, by ecosystem. Patterns match whole paths below the top folder of a repository, with
 * `/` between names.
 */
const GUARDS: readonly { readonly kind: GuardKind; readonly paths: readonly RegExp[] }[] = [
  {
    kind: 'test',
    paths: [
      // Folders of tests, in nearly every ecosystem.
      /(?:^|\/)(?:__tests__|__snapshots__|__mocks__|tests?|specs?|e2e|testdata|fixtures|cypress|playwright)\//i,
      // JavaScript and TypeScript, Vue, Svelte.
      /\.(?:test|spec|e2e|cy|bench)\.[cm]?[jt]sx?$/,
      /\.(?:snap|stories\.[jt]sx?)$/,
      // Python.
      /(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$/,
      // Go, Rust, C and C++.
      /_(?:test|unittest|spec)\.(?:go|rs|c|cc|cpp|cxx)$/,
      /(?:^|\/)tests?\.(?:rs|c|cc|cpp)$/,
      // Java, Kotlin, Scala, C#, PHP, Swift.
      /(?:^|\/)[^/]*(?:Tests?|IT|Specs?|TestCase)\.(?:java|kt|kts|scala|groovy|cs|fs|vb|php|swift|m)$/,
      // Ruby, Elixir, Erlang, Dart, Lua, Haskell, Clojure, shell.
      /(?:^|\/)[^/]*(?:_spec|_test|_SUITE)\.(?:rb|exs?|erl|dart|lua|cljc?)$/,
      /(?:^|\/)[^/]*Spec\.hs$/,
      /\.(?:bats|t)$/,
    ],
  },
  {
    kind: 'ci',
    paths: [
      /^\.github\/(?:workflows|actions)\//,
      /^\.(?:gitlab-ci|travis|drone|woodpecker|appveyor)\.ya?ml$/,
      /^\.(?:circleci|buildkite|gitlab|forgejo|gitea|woodpecker)\//,
      /(?:^|\/)(?:Jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|cloudbuild\.ya?ml|buildspec\.ya?ml)$/,
    ],
  },
  {
    kind: 'configuration',
    paths: [
      // JavaScript and TypeScript.
      /(?:^|\/)package\.json$/,
      /(?:^|\/)(?:vitest|vite|jest|karma|playwright|cypress|ava|wtr|web-test-runner|babel|eslint|biome|stryker)\.(?:config|conf|workspace|setup)\.[cm]?[jt]s(?:on)?$/,
      /(?:^|\/)(?:biome\.jsonc?|tsconfig[^/]*\.json|\.(?:mocharc|nycrc|c8rc|eslintrc|taprc|jestrc)[^/]*|nx\.json|turbo\.json)$/,
      // Python.
      /(?:^|\/)(?:pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|\.coveragerc|mypy\.ini|ruff\.toml)$/,
      // Rust, Go, C and C++.
      /(?:^|\/)(?:Cargo\.toml|\.cargo\/config(?:\.toml)?|clippy\.toml|nextest\.toml|\.golangci\.ya?ml|CTestConfig\.cmake|CMakeLists\.txt)$/,
      // Java and the like, C#, PHP, Ruby, Elixir.
      /(?:^|\/)(?:pom\.xml|build\.(?:gradle|sbt)(?:\.kts)?|phpunit\.xml(?:\.dist)?|\.rspec|Rakefile|mix\.exs|[^/]+\.runsettings)$/,
      // Lists of files that tools leave out.
      /(?:^|\/)\.(?:git|rg|eslint|prettier|stylelint|npm)?ignore$/,
      // Tools of any ecosystem.
      /(?:^|\/)(?:GNUm|m|M)akefile$/,
      /(?:^|\/)(?:justfile|Justfile|Taskfile\.ya?ml|dune-project|BUILD(?:\.bazel)?|WORKSPACE|\.pre-commit-config\.yaml|lefthook\.yml)$/,
    ],
  },
]

export interface Guarded {
  readonly path: string
  readonly kind: GuardKind
}

/** The changed files that decide whether the work passes: patterns, and what the commands name themselves. */
export function guardedAmong(
  changed: readonly string[],
  commands: readonly VerifyCommand[],
  below: string,
): readonly Guarded[] {
  const named = new Set(commands.flatMap(({ command }) => scriptsIn(command).map((path) => joined(below, path))))
  return changed.flatMap((path): Guarded[] => {
    if (named.has(path)) return [{ path, kind: 'script' }]
    const kind = GUARDS.find(({ paths }) => paths.some((pattern) => pattern.test(path)))?.kind
    return kind === undefined ? [] : [{ path, kind }]
  })
}

const INTERPRETER =
  /^(?:ba|da|z|k)?sh$|^(?:\.|source|node|tsx|ts-node|deno|bun|python[\d.]*|ruby|perl|php|Rscript|lua)$/
/** Words that stand before the program, with what belongs to them. */
const BEFORE = /^(?:exec|env|time|nice|command|sudo|[A-Za-z_]\w*=.*)$/

/** The files that a shell line runs: a path in the place of the program, and the file that an interpreter is given. */
function scriptsIn(line: string): readonly string[] {
  return line.split(/&&|\|\||[;|()&\n]/).flatMap((command) => {
    const words = command.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, ''))
    const [program = '', ...rest] = words.filter((word) => word !== '' && !BEFORE.test(word))
    if (program.includes('/')) return [program]
    const file = rest.find((word) => !word.startsWith('-'))
    return INTERPRETER.test(program) && file !== undefined ? [file] : []
  })
}

/** Below the top folder: `below` is where the commands run. */
function joined(below: string, path: string): string {
  const names: string[] = []
  for (const name of [...below.split('/'), ...path.split('/')]) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names.join('/')
}

/** Beginnings of single tests, and marks that switch one off. */
const TEST =
  /^[ \t]*(?:(?:it|test|specify|scenario)(?:\.\w+)*\s*[(`]|(?:async )?def test_|func Test\w|#\[(?:\w+::)?test\b|@(?:Parameterized)?Test\b|\[(?:Fact|Theory|Test|TestMethod)\b|(?:it|test|scenario|specify) ["'])/gm
const SKIP =
  /\b(?:it|test|describe|context|suite)\.(?:skip|todo|fails|only|failing)\b|\bx(?:it|test|describe|context)\s*\(|\bf(?:it|describe)\s*\(|@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip|expectedFailure)|Disabled|Ignore)\b|\bpytest\.skip\(|\bt\.Skip(?:f|Now)?\(|#\[ignore\b|\[(?:Ignore|Skip)\b|Skip\s*=\s*"|^[ \t]*(?:skip|pending|xit) /gm

export interface TestCounts {
  /** Tests that were there before and are not any more. */
  readonly removed: number
  /** Marks that switch tests off, and were not there before. */
  readonly skipped: number
}

/** From the text of one file before and after; undefined: there is none. A count, not a proof: it reads no language. */
export function testCounts(before: string | undefined, after: string | undefined): TestCounts {
  const count = (text: string | undefined, pattern: RegExp) => (text ?? '').match(pattern)?.length ?? 0
  return {
    removed: Math.max(0, count(before, TEST) - count(after, TEST)),
    skipped: Math.max(0, count(after, SKIP) - count(before, SKIP)),
  }
}
