import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * TypeScript to CommonJS with a lazy chunk per dynamic import: it starts in 1.6 bare Node starts, where many ES modules
 * take 2.5 (docs/adr/0002). Only the SQLite driver stays outside: it carries native binaries.
 */
export async function bundle(entries, folder) {
  await build({
    cwd: ROOT,
    input: entries,
    platform: 'node',
    external: ['@photostructure/sqlite'],
    transform: { target: 'node20' },
    logLevel: 'warn',
    output: {
      dir: join(ROOT, folder),
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      minify: true,
      cleanDir: true,
    },
  })
}

/** The program as it is shipped. */
export async function bundleCli() {
  await bundle({ fleet: 'src/cli/main.ts' }, 'dist')
  chmodSync(join(ROOT, 'dist/fleet.cjs'), 0o755)
}
