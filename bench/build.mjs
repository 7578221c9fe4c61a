import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { bundle, bundleCli, ROOT } from '../scripts/bundle.mjs'

/** The CLI as it is shipped, and the workers, which use the queue without the CLI. */
export async function buildAll() {
  await bundleCli()
  const workers = readdirSync(join(ROOT, 'bench/workers'))
  await bundle(
    Object.fromEntries(workers.map((file) => [basename(file, '.ts'), `bench/workers/${file}`])),
    '.build/bench',
  )
}

export const FLEET = join(ROOT, 'dist/fleet.cjs')
export const worker = (name) => join(ROOT, '.build/bench', `${name}.cjs`)
/** The exports of a worker, loaded into this process. */
export const bundled = (name) => createRequire(import.meta.url)(worker(name))
export const anchor = (name) => join(ROOT, 'bench/anchors', `${name}.cjs`)
