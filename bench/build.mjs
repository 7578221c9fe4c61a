import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build } from 'tsdown'

export const ROOT = resolve(import.meta.dirname, '..')
const OUT = join(ROOT, '.build/bench')

/** The CLI as it is shipped, and the workers that speak to the queue from inside. */
export async function buildAll() {
  execFileSync(process.execPath, [join(ROOT, 'node_modules/tsdown/dist/run.mjs'), '--logLevel', 'error'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const folder = join(ROOT, 'bench/workers')
  await build({
    config: false,
    cwd: ROOT,
    entry: Object.fromEntries(readdirSync(folder).map((file) => [basename(file, '.ts'), join(folder, file)])),
    outDir: OUT,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    outExtensions: () => ({ js: '.cjs' }),
    dts: false,
    clean: true,
    minify: true,
    logLevel: 'error',
    deps: { neverBundle: ['@photostructure/sqlite'] },
  })
}

export const FLEET = join(ROOT, 'dist/fleet.cjs')
export const worker = (name) => join(OUT, `${name}.cjs`)
export const anchor = (name) => join(ROOT, 'bench/anchors', `${name}.cjs`)
