import { pathPattern } from './path-pattern.ts'

/** Why a file counts for a verification: a change of it may make work pass that would not. */
export type GuardKind = 'test' | 'ci' | 'configuration' | 'script'

interface Guard {
  readonly kind: GuardKind
  /** For the reference page. */
  readonly of: string
  /** As in .gitignore, with `{a,b}`. */
  readonly patterns: readonly string[]
  /** In any case of letters. */
  readonly anyCase?: true
}

const JS = '{js,jsx,ts,tsx,cjs,mjs,cts,mts}'

/** Files that decide whether work passes, by ecosystem. docs/reference/guarded-files.md is made from this table. */
export const GUARDS: readonly Guard[] = [
  {
    kind: 'test',
    of: 'folders of tests, anywhere',
    anyCase: true,
    patterns: [
      '{test,tests,__tests__,spec,specs,e2e}/',
      '{testdata,test-data,test_data,fixtures,__fixtures__,__snapshots__,__mocks__}/',
      '{cypress,playwright}/',
    ],
  },
  {
    kind: 'test',
    of: 'folders of tests beside those of the code',
    patterns: ['**/src/*Test/', '**/src/*Tests/', '*.{Test,Tests,UnitTests,IntegrationTests}/', '*[a-z]Tests/'],
  },
  {
    kind: 'test',
    of: 'JavaScript and TypeScript',
    patterns: [`*.{test,spec,e2e,cy,bench}.${JS}`, `*.stories.${JS}`, '*.snap'],
  },
  { kind: 'test', of: 'Python', patterns: ['test_*.py', '*_test.py'] },
  {
    kind: 'test',
    of: 'Go, Rust, C and C++',
    patterns: ['*_{test,unittest,spec}.{go,rs,c,cc,cpp,cxx}', '{test,tests}.{rs,c,cc,cpp}'],
  },
  {
    kind: 'test',
    of: 'Java, Kotlin, Scala, Groovy, C#, F#, PHP, Swift',
    patterns: ['*{Test,Tests,IT,Spec,Specs,TestCase}.{java,kt,kts,scala,groovy,cs,fs,vb,php,swift,m}'],
  },
  {
    kind: 'test',
    of: 'Ruby, Elixir, Erlang, Dart, Lua, Clojure, Haskell, shell, Perl',
    patterns: ['*{_spec,_test,_SUITE}.{rb,ex,exs,erl,dart,lua,clj,cljc}', '*Spec.hs', '*.bats', '*.t'],
  },
  {
    kind: 'ci',
    of: 'CI',
    patterns: [
      '/.github/{workflows,actions}/',
      '/.{gitlab-ci,travis,drone,woodpecker,appveyor}.{yml,yaml}',
      '/.{circleci,buildkite,gitlab,forgejo,gitea,woodpecker}/',
      '{Jenkinsfile,azure-pipelines.yml,azure-pipelines.yaml,bitbucket-pipelines.yml}',
      '{cloudbuild,buildspec}.{yml,yaml}',
    ],
  },
  {
    kind: 'configuration',
    of: 'JavaScript and TypeScript',
    patterns: [
      '{package,package-lock,npm-shrinkwrap,lerna,nx,turbo}.json',
      '{yarn.lock,pnpm-lock.yaml,pnpm-workspace.yaml,bun.lock,bun.lockb,bunfig.toml,.pnpmfile.cjs}',
      '{deno.json,deno.jsonc,deno.lock}',
      '.{npmrc,yarnrc,yarnrc.yml,nvmrc,node-version}',
      `{vitest,vite,jest,karma,playwright,cypress,ava,wtr,web-test-runner,babel,eslint,prettier,stylelint,biome,stryker,webpack,rollup,tsup,swc}.{config,conf,workspace,setup}.{js,cjs,mjs,ts,cts,mts,json}`,
      `{jest,vitest,test}.setup.${JS}`,
      `setupTests.${JS}`,
      '{biome.json,biome.jsonc,jsconfig*.json,tsconfig*.json}',
      '.{mocharc,nycrc,c8rc,eslintrc,prettierrc,stylelintrc,babelrc,swcrc,taprc,jestrc}*',
    ],
  },
  {
    kind: 'configuration',
    of: 'Python',
    patterns: [
      '{conftest,noxfile,setup,sitecustomize,usercustomize}.py',
      '{pytest,tox,mypy}.ini',
      '{setup.cfg,pyproject.toml,ruff.toml,.ruff.toml,.coveragerc,.flake8,.pylintrc,.mypy.ini,.python-version}',
      '{requirements,constraints}*.txt',
      '{Pipfile,Pipfile.lock,poetry.lock,uv.lock,pdm.lock,environment.yml,*.pth}',
    ],
  },
  {
    kind: 'configuration',
    of: 'Rust',
    patterns: [
      '{Cargo.toml,Cargo.lock,build.rs,clippy.toml,.clippy.toml,nextest.toml,rust-toolchain,rust-toolchain.toml}',
      '**/.cargo/{config,config.toml}',
    ],
  },
  { kind: 'configuration', of: 'Go', patterns: ['{go.mod,go.sum,go.work,go.work.sum}', '.golangci.*'] },
  {
    kind: 'configuration',
    of: 'C and C++',
    patterns: [
      '{CMakeLists.txt,CTestConfig.cmake,CMakePresets.json,meson.build,meson_options.txt,configure.ac,Makefile.am}',
      '{conanfile.txt,conanfile.py,vcpkg.json}',
    ],
  },
  {
    kind: 'configuration',
    of: 'Java, Kotlin, Scala',
    patterns: [
      '{pom.xml,testng.xml,junit-platform.properties,gradle.properties,gradlew,mvnw}',
      '{build,settings}.{gradle,gradle.kts,sbt,sc}',
      '**/gradle/{libs.versions.toml,wrapper/*}',
      '.mvn/',
    ],
  },
  {
    kind: 'configuration',
    of: 'C#, F#, Visual Basic',
    patterns: [
      '*.{csproj,fsproj,vbproj,runsettings}',
      'Directory.{Build,Packages}.{props,targets}',
      '{global.json,nuget.config,xunit.runner.json}',
    ],
  },
  {
    kind: 'configuration',
    of: 'PHP',
    patterns: ['{composer.json,composer.lock,phpunit.xml,phpunit.xml.dist,psalm.xml}', 'phpstan.neon*'],
  },
  {
    kind: 'configuration',
    of: 'Ruby',
    patterns: ['{Gemfile,Gemfile.lock,Rakefile,.rspec,.rubocop.yml,.ruby-version,*.gemspec}'],
  },
  {
    kind: 'configuration',
    of: 'Elixir, Erlang, Dart, Swift, Haskell, OCaml, Clojure, Zig',
    patterns: [
      '{mix.exs,mix.lock,.formatter.exs,.credo.exs,rebar.config}',
      '{pubspec.yaml,pubspec.lock,dart_test.yaml,analysis_options.yaml,Package.swift}',
      '{*.cabal,cabal.project,stack.yaml,dune,dune-project,deps.edn,project.clj,tests.edn,build.zig}',
    ],
  },
  {
    kind: 'configuration',
    of: 'tools of any ecosystem',
    patterns: [
      '{GNUmakefile,makefile,Makefile,justfile,Justfile,.justfile,Taskfile.yml,Taskfile.yaml}',
      '{BUILD,BUILD.bazel,WORKSPACE,WORKSPACE.bazel,MODULE.bazel,.bazelrc}',
      '{.pre-commit-config.yaml,lefthook.yml,.lefthook.yml,.tool-versions,mise.toml,.envrc}',
    ],
  },
  {
    kind: 'configuration',
    of: 'lists of files that tools leave out',
    patterns: ['.{git,rg,eslint,prettier,stylelint,npm}ignore', '.ignore'],
  },
]

const KINDS = GUARDS.map(({ kind, patterns, anyCase }) => {
  const matches = new RegExp(patterns.map((each) => `(?:${pathPattern(each)})`).join('|'), anyCase ? 'i' : '')
  return { kind, matches }
})

/** undefined: its name says nothing. */
export function guardOf(path: string): GuardKind | undefined {
  return KINDS.find(({ matches }) => matches.test(path))?.kind
}
