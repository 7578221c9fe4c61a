import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchBase } from '../scripts/scratch.mjs'
import { FLEET, worker } from './build.mjs'
import { elapsed, now, possible } from './clock.mjs'

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
  const start = now()
  run(file, argv, env, ['ignore', 'ignore', 'inherit'])
  return elapsed(start)
}

/** The JSON on the last line that the process prints. `seconds` in it have to be possible. */
export function report(file, argv) {
  const lines = run(process.execPath, [file, ...argv])
    .trim()
    .split('\n')
  const told = JSON.parse(lines.at(-1))
  if ('seconds' in told) possible(told.seconds * 1000)
  return told
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

/** Seconds from the first worker's beginning to the last one's end, by the clock that they share. */
export function secondsOf(workers) {
  const spans = workers.map(({ began, ended }) => ({ began, ended, span: elapsed(began, ended) }))
  return elapsed(Math.min(...spans.map(({ began }) => began)), Math.max(...spans.map(({ ended }) => ended))) / 1000
}

/** In round n the n-th side goes first, so that other load on the machine, and what a round leaves behind, hits all alike. */
export function byTurns(sides, round) {
  const first = round % sides.length
  return [...sides.slice(first), ...sides.slice(0, first)]
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]
}

export const median = (values) => percentile(values, 0.5)
