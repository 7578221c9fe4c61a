import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * What nearly every command needs, in two files instead of a dozen: each file costs a third of a millisecond to load.
 * Nothing that loads a heavy part of Node belongs here (node:crypto, node:child_process), nor what only the supervisor needs.
 */
const GROUPS = [
  { name: 'import-file', priority: 3, test: /src[\\/]platform[\\/]runtime[\\/]import-file\.ts/ },
  {
    name: 'core',
    priority: 2,
    test: /src[\\/](domain[\\/](task|text)[\\/]|errors\.ts|ports[\\/]|platform[\\/](terminal[\\/]|runtime[\\/]chance|files[\\/](files|home)\.ts))/,
  },
  // Else the bundler keeps its own helpers, which many files need, in the file of the driver.
  { name: 'postgres', priority: 0, test: /node_modules[\\/](pg|postgres|split2|xtend)/ },
  {
    name: 'store',
    priority: 1,
    test: /src[\\/](app\.ts|queues[\\/](?!(postgres|beads)[\\/](?!descriptor))|platform[\\/](sqlite[\\/]|files[\\/]wake\.ts)|config[\\/]queue-of\.ts|domain[\\/]queue[\\/]postgres-url\.ts|store[\\/](backup|home-id)\.ts)/,
  },
]

/**
 * TypeScript to CommonJS with a lazy chunk per dynamic import: it starts in 1.6 bare Node starts, where many ES modules
 * take 2.5 (docs/adr/0002). Only the SQLite driver stays outside: it carries native binaries.
 */
export async function bundle(entries, folder, entryFileNames = '[name].cjs') {
  return await build({
    cwd: ROOT,
    input: entries,
    platform: 'node',
    external: ['@photostructure/sqlite'],
    transform: { target: 'node20' },
    logLevel: 'warn',
    output: {
      dir: join(ROOT, folder),
      format: 'cjs',
      entryFileNames,
      chunkFileNames: '[name]-[hash].cjs',
      minify: true,
      cleanDir: true,
      codeSplitting: { groups: GROUPS },
    },
  })
}

/** The program as it is shipped: its files, and the one that starts it. */
export async function bundleCli() {
  const { output } = await bundle({ main: 'src/cli/main.ts' }, 'dist', '[name]-[hash].cjs')
  const { fileName } = output.find(({ isEntry }) => isEntry)
  await build({
    cwd: ROOT,
    input: { fleet: 'src/platform/runtime/start.ts' },
    platform: 'node',
    transform: { target: 'node20', define: { MAIN: JSON.stringify(fileName) } },
    logLevel: 'warn',
    output: { dir: join(ROOT, 'dist'), format: 'cjs', entryFileNames: '[name].cjs', minify: true },
  })
  chmodSync(join(ROOT, 'dist/fleet.cjs'), 0o755)
}
