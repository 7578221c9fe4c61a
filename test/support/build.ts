import { execFileSync } from 'node:child_process'

/** Before any test: the CLI as it will be shipped. */
export default function build(): void {
  execFileSync(process.execPath, ['node_modules/tsdown/dist/run.mjs', '--logLevel', 'error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
