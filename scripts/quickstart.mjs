#!/usr/bin/env node
// Installs, builds, and shows the main job on a throw-away home: dependent tasks, what is ready, a claim, a close.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './install.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)
install()
console.log('building')
// Only now: it needs what was just installed.
const { bundleCli } = await import('./bundle.mjs')
await bundleCli()

const folder = mkdtempSync(join(tmpdir(), 'fleet-quickstart-'))
const env = { ...process.env, FLEET_HOME: join(folder, 'home') }
try {
  fleet('init')
  const design = create('Design the API')
  const server = create('Build the server', '--deps', design, '-p', '1')
  const client = create('Build the client', '--deps', design)
  create('Release', '--deps', `${server},${client}`)
  say('Only the first task has nothing to wait for:')
  fleet('ready')
  say('Somebody takes it and finishes it:')
  fleet('bd', 'update', design, '--claim')
  fleet('bd', 'close', design, '--reason', 'agreed on the endpoints')
  say('Now two tasks are free, the urgent one first; the release still waits for both:')
  fleet('ready')
  fleet('bd', 'blocked')
  say('Each task knows the directory it belongs to:')
  fleet('show', server)
  say(`That was a throw-away home. Yours: node ${join(root, 'dist', 'fleet.cjs')} init (or: npm link, then fleet init)`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function create(title, ...more) {
  const out = fleet('bd', 'create', title, ...more)
  return /fleet-[a-z0-9.]+/.exec(out)[0]
}

function fleet(...args) {
  console.log(`\n$ fleet ${args.map((arg) => (/[\s"]/.test(arg) ? JSON.stringify(arg) : arg)).join(' ')}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist', 'fleet.cjs'), ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  if (status !== 0) throw new Error(`fleet ${args.join(' ')} ended with exit code ${status}`)
  return stdout
}

function say(text) {
  console.log(`\n# ${text}`)
}
