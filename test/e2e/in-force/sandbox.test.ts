import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProgram } from '../../../src/platform/process/program.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { type Fleet, testFleet, until } from '../../support/supervisor.ts'
import { ROWS, rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('sandbox')

const hasBwrap = findProgram('bwrap', process.env) !== undefined

/** The names of the tries that an agent could do. */
async function couldDo(fleet: Fleet, tries: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const lines = Object.entries(tries).map(
    ([name, command]) => `(${command}) && echo ${name} >>"$FLEET_ARTIFACT_DIR/done"`,
  )
  const id = fleet.create('Tries', [...lines, 'echo end >>"$FLEET_ARTIFACT_DIR/done"'].join('\n'), ...flags)
  await fleet.settled(id, 'closed')
  return fleet.text(id, 'artifacts', 'done').trim().split('\n').slice(0, -1)
}

const NETWORK = { network: 'test "$(grep -c : /proc/net/dev)" != 1' }

test.skipIf(!hasBwrap)('what agents in a sandbox may do', async () => {
  const outside = temporaryFolder()
  for (const name of ['one', 'two', '.ssh']) mkdirSync(join(outside, name))
  writeFileSync(join(outside, 'one', 'file'), '')
  writeFileSync(join(outside, '.ssh', 'known'), '')
  const fleet = testFleet({ env: { HOME: outside } })
  const [lib, other] = [fleet.project('lib'), fleet.project('other')]
  const reloads = () => fleet.log().filter(({ event }) => event === 'config-reloaded').length
  const set = async (...settings: readonly string[]) => {
    const before = reloads()
    expect(fleet.fleet('config', 'set', ...settings).code).toBe(0)
    await until(
      async () => reloads() > before,
      () => `${settings} is read`,
    )
  }
  // Another home lies below /tmp or /dev, which is another folder inside: what is shown there is told apart by its files.
  const SEES = { one: `cat ${outside}/one/file`, known: `cat ${outside}/.ssh/known` }
  await fleet.start()
  await until(
    async () => fleet.log().length > 0,
    () => 'it runs',
  )

  await row('projects.*.sandbox', async () => {
    await set(`projects.${lib}.sandbox=required`)
    expect(await couldDo(fleet, SEES, '--cwd', lib)).toEqual([])
    expect(await couldDo(fleet, SEES, '--cwd', other)).toEqual(['one', 'known'])
  })
  await row('sandbox', async () => {
    await set('sandbox=required')
    expect(await couldDo(fleet, SEES, '--cwd', other)).toEqual([])
  })
  await row('sandbox_read', async () => {
    await set(`sandbox_read=["${outside}/one", "~/.ssh/known"]`)
    expect(await couldDo(fleet, SEES, '--cwd', other)).toEqual(['one', 'known'])
  })
  await row('sandbox_hide', async () => {
    await set(`sandbox_read=["${outside}"]`, `sandbox_hide=["${outside}/one"]`)
    expect(await couldDo(fleet, SEES, '--cwd', other)).toEqual([])
  })
  const writes = { write: `touch ${outside}/two/made && test -e ${outside}/two/made` }
  await row('sandbox_write', async () => {
    await set(`sandbox_write=["${outside}/two"]`)
    expect(await couldDo(fleet, writes, '--cwd', other)).toEqual(['write'])
    await set('sandbox_write=')
    expect(await couldDo(fleet, writes, '--cwd', other)).toEqual([])
  })
  await row('projects.*.sandbox_write', async () => {
    await set(`projects.${lib}.sandbox_write=["~/two"]`)
    expect(await couldDo(fleet, writes, '--cwd', lib)).toEqual(['write'])
  })
  await row('projects.*.sandbox_network', async () => {
    await set(`projects.${lib}.sandbox_network=off`)
    expect(await couldDo(fleet, NETWORK, '--cwd', lib)).toEqual([])
    expect(await couldDo(fleet, NETWORK, '--cwd', other)).toEqual(['network'])
  })
  await row('sandbox_network', async () => {
    await set('sandbox_network=off')
    expect(await couldDo(fleet, NETWORK, '--cwd', other)).toEqual([])
  })
})

test('every row of this file was shown', () =>
  expectAll(hasBwrap ? [] : Object.keys(ROWS).filter((key) => ROWS[key] === 'sandbox')))
