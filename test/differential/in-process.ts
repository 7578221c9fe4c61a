import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll } from 'vitest'
import { scratchBase } from '../../scripts/scratch.mjs'
import { runBd } from '../../src/cli/bd/dispatch.ts'
import { Home } from '../../src/platform/files/home.ts'
import { FLEET, runBeside, scrubbed } from '../support/cli.ts'
import { ENV, type Invoke } from './harness.ts'
import { streams } from './streams.ts'

let made: Promise<string> | undefined

// SQLite's driver closes the files of a closed store when its statements are collected. A command never waits for that; here
// thousands of commands share one process.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

afterAll(async () => {
  if (made !== undefined) rmSync(dirname(await made), { recursive: true, force: true })
})

/** Runs `fleet bd` without a process per command: several hundred scripts take as long as a few with processes. */
export async function fleetInProcess(folder: string, project: string): Promise<Invoke> {
  process.env['TZ'] = ENV.TZ
  collectGarbage()
  made ??= freshHome()
  const path = join(folder, 'home')
  cpSync(await made, path, { recursive: true })
  const home = new Home(path)
  return async (argv, { input, env: more }) => {
    Object.assign(streams, { out: '', err: '', input })
    const env = { ...scrubbed(), ...ENV, FLEET_HOME: path, HOME: folder, ...more }
    const code = await runBd(argv, { home, env, cwd: project })
    return { code, stdout: streams.out, stderr: streams.err }
  }
}

async function freshHome(): Promise<string> {
  const folder = mkdtempSync(join(scratchBase(), 'fleet-diff-home-'))
  const path = join(folder, 'home')
  const ran = await runBeside(process.execPath, [FLEET, 'init'], { cwd: folder, env: { ...ENV, FLEET_HOME: path } })
  if (ran.code !== 0) throw new Error(`fleet init failed: ${ran.stderr}`)
  return path
}
