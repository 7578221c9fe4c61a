import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchBase } from '../scripts/scratch.mjs'
import { FLEET, worker } from './build.mjs'

/** Runs `work` with a new folder, and removes it. */
export async function inFolder(work) {
  const folder = new BenchFolder(mkdtempSync(join(scratchBase(), 'fleet-bench-')))
  try {
    return await work(folder)
  } finally {
    rmSync(folder.path, { recursive: true, force: true })
  }
}

class BenchFolder {
  constructor(path) {
    this.path = path
  }

  /** A home filled by the `seed` worker. */
  seed(name, plan) {
    const home = join(this.path, name)
    run(process.execPath, [FLEET, 'init', '--queue', 'local'], { FLEET_HOME: home })
    run(process.execPath, [worker('seed'), home, JSON.stringify(plan)])
    return home
  }

  copy(home, name) {
    const path = join(this.path, name)
    rmSync(path, { recursive: true, force: true })
    cpSync(home, path, { recursive: true })
    return path
  }
}

/** NODE_EXTRA_CA_CERTS adds some 50 ms to every start of Node and hides everything else. */
export function environment(more = {}) {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env
  return { ...env, ...more }
}

export function run(file, argv, env, stdio = ['ignore', 'pipe', 'inherit']) {
  const done = spawnSync(file, argv, { env: environment(env), stdio, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (done.error) throw done.error
  if (done.status !== 0) throw new Error(`${file} ${argv.join(' ')} ended with ${done.status ?? done.signal}`)
  return done.stdout
}

/** Milliseconds of a whole process, from spawn to exit. */
export function timed(file, argv, env) {
  const start = process.hrtime.bigint()
  run(file, argv, env, ['ignore', 'ignore', 'inherit'])
  return Number(process.hrtime.bigint() - start) / 1e6
}

/** The JSON on the last line that the process prints. */
export function report(file, argv) {
  return JSON.parse(
    run(process.execPath, [file, ...argv])
      .trim()
      .split('\n')
      .at(-1),
  )
}

/** Starts `count` workers, releases them together once all are ready, and returns what each reports. */
export async function race(file, argvOf, count) {
  const workers = Array.from({ length: count }, (_, i) =>
    spawn(process.execPath, [file, ...argvOf(i)], { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const outputs = workers.map((child) => {
    let text = ''
    let ready
    const isReady = new Promise((resolve) => {
      ready = resolve
    })
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.startsWith('ready\n')) ready()
    })
    const ended = new Promise((resolve, reject) => {
      child.on('close', (code) =>
        code === 0 ? resolve(JSON.parse(text.slice('ready\n'.length))) : reject(new Error(`worker ended with ${code}`)),
      )
    })
    return { isReady, ended }
  })
  await Promise.race([Promise.all(outputs.map((each) => each.isReady)), Promise.all(outputs.map((each) => each.ended))])
  for (const child of workers) child.stdin.end('go\n')
  return await Promise.all(outputs.map((each) => each.ended))
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]
}

export const median = (values) => percentile(values, 0.5)
