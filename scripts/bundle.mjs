import { chmodSync, copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * The files that most commands share. A group is whole folders, or one file, with everything that they import; a module
 * that two groups want goes to the one with the higher priority. A file costs a command 0.3 ms to find and read, and 10 KB
 * of code cost as much to compile: `ready` loads four files, a command of `bd` four to seven (docs/adr/0015).
 */
const GROUPS = [
  { name: 'core', priority: 4, test: /src[\\/](cli[\\/]main\.ts|domain[\\/]text[\\/]|platform[\\/]terminal[\\/])/ },
  // Only the folder itself: few commands need its sub-folders.
  { name: 'store', priority: 3, test: /src[\\/](app\.ts|domain[\\/]task[\\/][^\\/]+$)/ },
  { name: 'bd', priority: 2, test: /src[\\/](cli[\\/]bd[\\/](dispatch\.ts|parts[\\/])|views[\\/]json[\\/]issue)/ },
  // For `done`, `ask` and `note`, which agents call inside their runs.
  { name: 'letter', priority: 1, test: /src[\\/]actions[\\/]post-letter\.ts/ },
  // Otherwise the bundler puts its own runtime functions, which many files need, into the driver's file.
  { name: 'postgres', priority: 1, test: /node_modules[\\/](pg|postgres|split2|xtend)/ },
]

/**
 * TypeScript to CommonJS with a lazy chunk per dynamic import: it starts in fewer than two bare Node starts, where many ES
 * modules take 2.5 (docs/adr/0002). Only the SQLite driver stays outside: it carries native binaries.
 */
export async function bundle(entries, folder) {
  await build({
    cwd: ROOT,
    input: entries,
    platform: 'node',
    external: ['@photostructure/sqlite'],
    transform: { target: 'node20' },
    logLevel: 'warn',
    // bd's commands call each other; those that others call are in the group's file.
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: join(ROOT, folder),
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      minify: true,
      cleanDir: true,
      codeSplitting: { groups: GROUPS },
    },
  })
}

/** Builds the program as shipped. */
export async function bundleCli() {
  await bundle({ start: 'src/cli/start.ts' }, 'dist')
  // As it is: the bundler's own helpers need a new Node.
  copyFileSync(join(ROOT, 'src/cli/entry.cjs'), join(ROOT, 'dist/fleet.cjs'))
  chmodSync(join(ROOT, 'dist/fleet.cjs'), 0o755)
}
