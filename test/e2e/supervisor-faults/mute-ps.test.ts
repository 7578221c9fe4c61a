import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'

/** A `ps` that does what a file says, as long as the file is there. */
function moodyPs(): { env: NodeJS.ProcessEnv; be(mood: string): void; recover(): void } {
  const folder = join(temporaryFolder(), 'bin')
  mkdirSync(folder)
  const mood = join(folder, 'mood')
  const script = `#!/bin/sh\n[ -e '${mood}' ] && { . '${mood}'; exit; }\nPATH=/usr/bin:/bin exec ps "$@"\n`
  writeFileSync(join(folder, 'ps'), script, { mode: 0o755 })
  return {
    env: { FLEET_PROCESS_TABLE: 'ps', PATH: `${folder}:${process.env['PATH']}` },
    be: (text) => writeFileSync(mood, text),
    recover: () => rmSync(mood),
  }
}

test.each([
  ['prints nothing', 'exit 0'],
  ['fails', 'echo "ps: out of memory" >&2; exit 1'],
])('a ps that %s makes no living agent look dead: no task runs twice', async (_what, mood) => {
  const ps = moodyPs()
  const fleet = await fleetHome()
  const first = await fleet.supervise({ env: ps.env })
  const id = await fleet.script('echo ran >>ran; until [ -e go ]; do sleep 0.05; done')
  await eventually(() => fleet.lines('ran').length === 1, 'it runs')
  first.kill('SIGKILL')
  await first.exited
  const next = await fleet.supervise({ env: ps.env })
  await eventually(() => fleet.log().filter(({ event }) => event === 'run-found').length === 1, 'it was adopted')
  ps.be(mood)
  const inTrouble = () => fleet.log().some(({ event, why }) => event === 'work-failed' && String(why).includes('ps '))
  await eventually(inTrouble, 'the log says that ps is in trouble')
  expect(fleet.runsOf(id).map(({ phase }) => phase)).toEqual(['running'])
  expect(next.child.exitCode).toBe(null)
  ps.recover()
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
  expect(fleet.lines('ran')).toEqual(['ran'])
  expect(fleet.runsOf(id).map(({ outcome }) => outcome?.code)).toEqual(['done'])
  await fleet.expectNoAgents()
})

test('an agent that was running while ps was mute at the start of the next supervisor is adopted once ps answers', async () => {
  const ps = moodyPs()
  const fleet = await fleetHome()
  const first = await fleet.supervise({ env: ps.env })
  const id = await fleet.script('echo ran >>ran; until [ -e go ]; do sleep 0.05; done')
  await eventually(() => fleet.lines('ran').length === 1, 'it runs')
  first.kill('SIGKILL')
  await first.exited
  // It answers for one process, so that the supervisor can start, and for all it prints nothing.
  ps.be('case "$*" in *-p*) PATH=/usr/bin:/bin exec ps "$@";; esac')
  await fleet.supervise({ env: ps.env })
  await eventually(() => fleet.log().some(({ event }) => event === 'work-failed'), 'it says that it is in trouble')
  expect(fleet.openRuns()).toBe(1)
  ps.recover()
  await fleet.logged('run-found')
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
  expect(fleet.lines('ran')).toEqual(['ran'])
  await fleet.expectNoAgents()
})
