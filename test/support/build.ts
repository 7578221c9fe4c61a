import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build as bundle } from 'tsdown'

const ROOT = resolve(import.meta.dirname, '../..')

/** Before any test: the CLI as it will be shipped, and what tests run in processes of its own (Node 20 runs no TypeScript). */
export default async function build(): Promise<void> {
  execFileSync(process.execPath, ['node_modules/tsdown/dist/run.mjs', '--logLevel', 'error'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const connections = join(ROOT, 'test/contract/connect')
  await bundle({
    config: false,
    cwd: ROOT,
    entry: {
      worker: join(ROOT, 'test/support/worker.ts'),
      ...Object.fromEntries(
        readdirSync(connections).map((file) => [`connect-${basename(file, '.ts')}`, join(connections, file)]),
      ),
    },
    outDir: '.build/test',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    outExtensions: () => ({ js: '.cjs' }),
    dts: false,
    clean: true,
    logLevel: 'error',
    deps: { neverBundle: ['@photostructure/sqlite'] },
  })
}
