import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exec } from '../../src/platform/process/exec.ts'
import { temporaryFolder } from '../support/cli.ts'
import { project } from '../support/project.ts'

const onLinux = test.skipIf(process.platform !== 'linux')

function pipeAt(path: string): string {
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
  return path
}

onLinux('a program that opens a pipe to which nobody writes is ended long before its timeout', async () => {
  const path = pipeAt(join(temporaryFolder(), 'pipe'))
  const cat = (readsAgentFiles: boolean) => exec('/bin/cat', { argv: [path], timeoutMs: 8000, readsAgentFiles })
  expect(await Promise.all([cat(true), cat(false)])).toMatchObject([{ kind: 'blocked' }, { kind: 'timed-out' }])
})

onLinux('one that waits for anything else keeps its time', async () => {
  const options = { timeoutMs: 60_000, readsAgentFiles: true }
  const script = '(sleep 6; echo done) | cat'
  expect(await exec('/bin/sh', { argv: ['-c', script], ...options })).toMatchObject({ kind: 'ended', code: 0 })
})

onLinux.each(['.gitignore', 'inner/.gitignore'])(
  'a pipe in the place of %s makes the changes unknown, and says what to look for',
  async (name) => {
    const { path, git, write, changesBy } = project('git')
    const changes = await changesBy(() => {
      write('new.txt', 'new\n')
      mkdirSync(join(path, 'inner'))
      if (name.startsWith('inner/')) git('init', '-q', join(path, 'inner'))
      pipeAt(join(path, name))
    })
    expect(changes).toMatchObject({ files: [], unknown: expect.stringContaining('find . -type p') })
  },
)

test.each(['refs', 'refs/heads/elsewhere'])(
  'a link in the place of %s leads git nowhere, and the changes are unknown',
  async (name) => {
    const elsewhere = temporaryFolder()
    const { path, write, changesBy } = project('git')
    const changes = await changesBy(() => {
      write('new.txt', 'new\n')
      rmSync(join(path, '.git', name), { recursive: true, force: true })
      symlinkSync(elsewhere, join(path, '.git', name))
    })
    expect(changes).toMatchObject({ files: [], unknown: expect.stringContaining('leads out of the refs') })
  },
)
