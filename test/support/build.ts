import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bundle, bundleCli, ROOT } from '../../scripts/bundle.mjs'

/**
 * Before any test: builds the CLI as shipped, and the programs that tests run as processes (Node 20 runs no TypeScript).
 * Several runs of tests beside each other share one build, made before them: each build empties its folder first.
 */
export default async function build(): Promise<void> {
  if (process.env['FLEET_TEST_BUILT'] === '1') return
  await bundleCli()
  const connections = readdirSync(join(ROOT, 'test/contract/connect'))
  await bundle(
    {
      worker: 'test/support/worker.ts',
      'stand-in': 'test/support/stand-in.ts',
      ...Object.fromEntries(
        connections.map((file) => [`connect-${basename(file, '.ts')}`, `test/contract/connect/${file}`]),
      ),
    },
    '.build/test',
  )
}
