import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** Runs `npm ci`, unless the lockfile is already installed. */
export function install() {
  const installed = statSync('node_modules/.package-lock.json', { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (installed > statSync('package-lock.json').mtimeMs) return
  console.log('installing what the lockfile pins (npm ci)')
  execFileSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
  })
}
