#!/usr/bin/env node
// Installs, builds, and shows agents at work on dependent tasks in a throw-away project. Needs no account.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './install.mjs'

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'))
install()
console.log('building')
// Imported only now, because it needs the packages just installed.
const { bundleCli } = await import('./bundle.mjs')
await bundleCli()

console.log('\n$ fleet demo')
const { status, error } = spawnSync(process.execPath, [join('dist', 'fleet.cjs'), 'demo'], { stdio: 'inherit' })
if (error) throw error
process.exitCode = status ?? 1
if (status === 0) {
  console.log(`
Next, for tasks of your own:

  npm link && fleet init          # the command, and your home at ~/.fleet
  cd your-project && fleet bd create "Fix the typos in README.md" --coder claude && fleet run

README.md goes through it step by step.`)
}
