import { expect, test } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { FLEET, run } from '../support/cli.ts'
import { fleetHome } from '../support/home-run.ts'

const script = findProgram('script', process.env)

test("an agent's notes appear in `fleet show` and in the log of its task", async () => {
  const fleet = await fleetHome()
  const id = await fleet.script(`for i in 1 2 3 4 5 6; do fleet note "note $i
and \u001b[31mmore"; done`)
  await (await fleet.supervise({ argv: ['--once'] })).exited
  const shown = fleet.fleet(['show', id]).stdout.replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS')
  expect(shown).toContain(`
notes:
  HH:MM:SS  #1  note 2 and more
  HH:MM:SS  #1  note 3 and more
  HH:MM:SS  #1  note 4 and more
  HH:MM:SS  #1  note 5 and more
  HH:MM:SS  #1  note 6 and more

`)
  const { notes } = JSON.parse(fleet.fleet(['show', id, '--json']).stdout).fleet
  expect(notes).toHaveLength(5)
  expect(notes[4]).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    attempt: 1,
    text: 'note 6\nand \u001b[31mmore',
  })
  if (script === undefined) return
  const command = `'${process.execPath}' '${FLEET}' task ${id} log`
  const env = { FLEET_HOME: fleet.path, TERM: 'xterm', NO_COLOR: '1' }
  expect(run(script, ['-qec', command, '/dev/null'], { env }).stdout).toMatch(/^[\d:]+ #1 note note 1 and more\s*$/m)
})
