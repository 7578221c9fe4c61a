import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bdBinary } from '../differential/bd.ts'
import { FLEET, type Ran, run, temporaryFolder } from '../support/cli.ts'
import { hasJq } from '../support/tools.ts'

const SCRIPT = resolve(import.meta.dirname, '../fixtures/bd-user-script.sh')

const EXPECTED = `ready:   Cart service
blocked: Payment form, Write the docs
claimed: in_progress ada
ready:   Payment form
closed:  Cart service (merged)
labels:  backend reviewed
comment: tables are in place
open:    3
export:  4 lines, 2 edges on the form
`

describe.skipIf(!hasJq)('a script that a bd user would write', () => {
  test('runs on fleet bd unchanged', () => {
    const folder = temporaryFolder()
    const fleet = `'${process.execPath}' '${FLEET}'`
    expect(perform(folder, `exec ${fleet} bd "$@"`, `${fleet} init`, { FLEET_HOME: join(folder, 'home') })).toEqual({
      code: 0,
      stdout: EXPECTED,
      stderr: '',
    })
  })

  test.skipIf(bdBinary === '')('prints the same on the real bd', { timeout: 120_000 }, () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'gitconfig'), '[beads]\n\trole = maintainer\n')
    const env = {
      BEADS_DIR: join(folder, 'project', '.beads'),
      BD_DISABLE_METRICS: '1',
      BD_NON_INTERACTIVE: '1',
      GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
    }
    const init = `'${bdBinary}' init --prefix fleet --skip-agents --skip-hooks --non-interactive --quiet`
    expect(perform(folder, `exec '${bdBinary}' "$@"`, init, env)).toMatchObject({ code: 0, stdout: EXPECTED })
  })
})

function perform(folder: string, bd: string, init: string, more: NodeJS.ProcessEnv): Ran {
  const bin = join(folder, 'bin')
  const cwd = join(folder, 'project')
  mkdirSync(bin)
  mkdirSync(cwd)
  writeFileSync(join(bin, 'bd'), `#!/bin/sh\n${bd}\n`)
  chmodSync(join(bin, 'bd'), 0o755)
  const env = { ...more, HOME: folder, BEADS_ACTOR: 'ada', PATH: `${bin}:${process.env['PATH']}` }
  const made = run('sh', ['-c', init], { cwd, env })
  if (made.code !== 0) throw new Error(made.stderr)
  return run('bash', [SCRIPT], { cwd, env })
}
