import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { LICENCES, licencesOf } from './licences.mjs'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * The files that most commands share. A group is whole folders, or one file, with everything that they import; a module
 * that two groups want goes to the one with the higher priority. A file costs a command 0.3 ms to find and read, and 10 KB
 * of code cost as much to compile: `ready` loads four files, a command of `bd` four to seven (docs/adr/0015).
 */
const GROUPS = [
  {
    name: 'core',
    priority: 4,
    // Without the texts that only few commands need. The last two are small and shared by letters and others: elsewhere they would make each letter load all of `bd`.
    test: /src[\\/](cli[\\/]main\.ts|domain[\\/]text[\\/](?!line|redact|secret-shapes|short-json)|platform[\\/]terminal[\\/]|domain[\\/]agent[\\/]current-run\.ts|platform[\\/]files[\\/]out-of-the-way\.ts)/,
  },
  // Only the folder itself: few commands need its sub-folders.
  { name: 'store', priority: 3, test: /src[\\/](app\.ts|domain[\\/]task[\\/][^\\/]+$)/ },
  {
    name: 'bd',
    priority: 2,
    // Without the parts that belong to one or two commands.
    test: /src[\\/](cli[\\/]bd[\\/](dispatch\.ts|parts[\\/](?!check-sections|close-reasons|comment-text|create-preview|delete-preview|history-events|prime-text))|views[\\/]json[\\/]issue)/,
  },
  // For commands that an agent may not call.
  { name: 'fence', priority: 1, test: /src[\\/]views[\\/]enclosing-run\.ts/ },
  // For `done`, `ask` and `note`, which agents call inside their runs.
  {
    name: 'letter',
    priority: 1,
    test: /src[\\/](actions[\\/]post-letter|cli[\\/](letter|commands[\\/](ask|done|note)))\.ts/,
  },
  // Otherwise the bundler puts its own runtime functions, which many files need, into the driver's file.
  { name: 'postgres', priority: 1, test: /node_modules[\\/](pg|postgres|split2|xtend)/ },
]

const OPTIONS = {
  cwd: ROOT,
  platform: 'node',
  external: ['@photostructure/sqlite'],
  transform: { target: 'node20' },
  logLevel: 'warn',
  // bd's commands call each other; those that others call are in the group's file.
  checks: { ineffectiveDynamicImport: false },
}

const OUTPUT = {
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  minify: true,
  codeSplitting: { groups: GROUPS },
}

const PROGRAM = { start: 'src/cli/start.ts' }

/** A process of its own beside a supervisor (docs/adr/0021): one file, which shares nothing with the commands. */
const DEAD_MAN = { 'dead-man': 'src/platform/process/dead-man/process.ts' }
const ONE_FILE = { ...OUTPUT, codeSplitting: false }

/**
 * TypeScript to CommonJS with a lazy chunk per dynamic import: it starts in fewer than two bare Node starts, where many ES
 * modules take 2.5 (docs/adr/0002). Only the SQLite driver stays outside: it carries native binaries.
 */
export async function bundle(entries, folder) {
  return await build({ ...OPTIONS, input: entries, output: { ...OUTPUT, dir: join(ROOT, folder), cleanDir: true } })
}

/** Builds the program as shipped, with the licences of the packages in it. */
export async function bundleCli() {
  const built = await bundle(PROGRAM, 'dist')
  await build({ ...OPTIONS, input: DEAD_MAN, output: { ...ONE_FILE, dir: join(ROOT, 'dist') } })
  // As it is: the bundler's own helpers need a new Node.
  copyFileSync(join(ROOT, 'src/cli/entry.cjs'), join(ROOT, 'dist/fleet.cjs'))
  chmodSync(join(ROOT, 'dist/fleet.cjs'), 0o755)
  writeFileSync(join(ROOT, 'dist', LICENCES), licencesOf(built.output.flatMap(({ moduleIds = [] }) => moduleIds)))
}

/**
 * The files whose code is in the program, by its source maps; builds it in memory.
 * @returns {Promise<string[]>} absolute paths
 */
export async function sourcesOfCli() {
  const dir = join(ROOT, 'dist')
  const more = { dir, sourcemap: true }
  const built = await Promise.all([
    build({ ...OPTIONS, input: PROGRAM, write: false, output: { ...OUTPUT, ...more } }),
    build({ ...OPTIONS, input: DEAD_MAN, write: false, output: { ...ONE_FILE, ...more } }),
  ])
  return built
    .flatMap(({ output }) => output)
    .flatMap(({ map }) => map?.sources ?? [])
    .map((source) => resolve(dir, source))
}
