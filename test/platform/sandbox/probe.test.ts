import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProgram } from '../../../src/platform/process/program.ts'
import { trySandbox } from '../../../src/platform/sandbox/probe.ts'
import { temporaryFolder } from '../../support/cli.ts'

const bwrap = findProgram('bwrap', process.env)
const here = { env: process.env, isRoot: process.getuid?.() === 0 }

test.skipIf(bwrap === undefined)('a sandbox is tried with a network and without, as root and as anybody', async () => {
  for (const network of ['on', 'off'] as const)
    for (const isRoot of [here.isRoot, false])
      expect(await trySandbox(network, { ...here, isRoot })).toMatchObject({ way: { kind: 'bwrap' } })
})

test.runIf(process.platform === 'linux')(
  'a bwrap that confines nothing is found out, and so is its absence',
  async () => {
    const folder = temporaryFolder()
    const env = { PATH: `${folder}:${process.env['PATH']}` }
    expect(await trySandbox('on', { ...here, env: { PATH: folder } })).toEqual({
      fails: 'bwrap is not on PATH: install bubblewrap',
    })
    // Runs the command after the last `--`, and ignores everything before it.
    const script = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
    writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, 'bwrap'), 0o755)
    expect(await trySandbox('on', { ...here, env })).toEqual({ fails: 'it can write everywhere' })
  },
)
