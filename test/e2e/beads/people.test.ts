import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FLEET } from '../../support/cli.ts'
import { bd, realBd } from '../../support/real-bd.ts'
import { type BeadsHome, beadsHome } from './home.ts'

const create = (home: BeadsHome, ...argv: string[]): string =>
  JSON.parse(home.bd(['create', ...argv, '--coder', 'shell', '--json']).stdout).data.id

const shown = (home: BeadsHome, id: string): Record<string, unknown> =>
  JSON.parse(bd(home.beads, ['show', id, '--json']))[0]

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 200))
}

/** The newest outcome of the task, as fleet shows it. */
const outcome = (home: BeadsHome, id: string): unknown =>
  JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet.attempts.at(-1)?.outcome

describe.skipIf(realBd === '')('people and a beads home', { timeout: 240_000 }, () => {
  test('a question parks the task in bd, whatever its agent wrote to bd, and the answer opens it again', () => {
    const home = beadsHome()
    const id = create(
      home,
      'ask first',
      '-d',
      `test -e asked && { touch done; exit 0; }
      BEADS_DIR="$FLEET_HOME/.beads" bd close "$FLEET_TASK_ID" --force && touch asked
      fleet ask "Which colour?"`,
    )
    const next = create(home, 'then', '-d', 'touch after', '--deps', id)
    home.fleet(['run', '--once'])
    expect(existsSync(join(home.project, 'asked'))).toBe(true)
    expect(existsSync(join(home.project, 'after'))).toBe(false)
    expect(shown(home, id)).toMatchObject({ status: 'blocked' })
    expect(home.fleet(['questions']).stdout).toContain('Which colour?')
    expect(home.fleet(['answer', id, 'blue'])).toMatchObject({ code: 0, stdout: `Answered. ${id} is open again.\n` })
    expect(shown(home, id)).toMatchObject({ status: 'open' })
    expect(home.fleet(['run', '--once']).code).toBe(0)
    expect([id, next].map((each) => shown(home, each)['status'])).toEqual(['closed', 'closed'])
  })

  test('a person who closes a running task ends its run, which then settles nothing', async () => {
    const home = beadsHome()
    const id = create(home, 'long', '-d', 'touch begun; sleep 300')
    const supervisor = spawn(process.execPath, [FLEET, 'run', '--once'], {
      cwd: home.project,
      env: home.env,
      stdio: 'ignore',
    })
    onTestFinished(() => void supervisor.kill('SIGKILL'))
    await until(() => existsSync(join(home.project, 'begun')))
    home.bd(['--actor', 'anna', 'close', id, '--force', '--reason', 'not needed'])
    const [code] = await once(supervisor, 'exit')
    expect(code).toBe(0)
    expect(outcome(home, id)).toMatchObject({ code: 'taken-away' })
    expect(shown(home, id)).toMatchObject({ status: 'closed', close_reason: 'not needed' })
  })

  test('a supervisor that is killed leaves its agents and claims to the next', async () => {
    const home = beadsHome()
    const id = create(home, 'survives', '-d', 'echo . >>starts; until test -e go; do sleep 0.1; done')
    const first = spawn(process.execPath, [FLEET, 'run'], { cwd: home.project, env: home.env, stdio: 'ignore' })
    onTestFinished(() => void first.kill('SIGKILL'))
    await until(() => existsSync(join(home.project, 'starts')))
    first.kill('SIGKILL')
    await once(first, 'exit')
    expect(shown(home, id)).toMatchObject({ status: 'in_progress' })
    const second = spawn(process.execPath, [FLEET, 'run', '--once'], {
      cwd: home.project,
      env: home.env,
      stdio: 'ignore',
    })
    onTestFinished(() => void second.kill('SIGKILL'))
    home.fleet(['bd', 'q', 'meanwhile', '--coder', 'shell', '--command', 'touch go'])
    const [code] = await once(second, 'exit')
    expect(code).toBe(0)
    expect(shown(home, id)).toMatchObject({ status: 'closed' })
    const attempts = JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet.attempts
    expect(attempts).toHaveLength(1)
  })
})
