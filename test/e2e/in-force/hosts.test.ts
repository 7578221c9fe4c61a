import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run, temporaryFolder, testHome } from '../../support/cli.ts'
import { withSupervisor } from '../../support/home-run.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('hosts')

describeWithPostgres('settings of this machine', (server) => {
  test('settings of a machine that shares a queue', async () => {
    const folder = temporaryFolder()
    const clones = join(folder, 'clones')
    const [there, here] = [join(folder, 'there'), join(folder, 'here')]
    const home = await withSupervisor(testHome(temporaryFolder(), ['--queue', server.newUrl()]), [
      'hosts.name=anvil',
      'hosts.labels=["gpu"]',
      `hosts.paths={ "${there}" = "${here}" }`,
      `hosts.clone=${clones}`,
    ])
    const create = (script: string, ...words: readonly string[]): string => {
      const made = home.bd(['create', 'A script', '--coder', 'shell', '-d', script, '--silent', ...words])
      if (made.code !== 0) throw new Error(made.stderr)
      return made.stdout.trim()
    }
    mkdirSync(there)
    const repository = clonedRepository(folder)
    const [named, labelled] = [create('true', '--on', 'anvil'), create('true', '--on', 'gpu')]
    const mapped = create('true', '--cwd', there)
    const cloned = create('true', '--cwd', repository)
    renameSync(there, here)
    renameSync(repository, `${repository}-elsewhere`)
    await home.supervise()

    // A task that asks for a machine runs on no other.
    await row('hosts.name', () => home.becomes(named, 'closed'))
    await row('hosts.labels', () => home.becomes(labelled, 'closed'))
    await row('hosts.paths', async () => {
      await home.becomes(mapped, 'closed')
      expect(home.runsOf(mapped)).toMatchObject([{ cwd: here }])
    })
    await row('hosts.clone', async () => {
      await home.becomes(cloned, 'closed')
      expect(home.runsOf(cloned)[0]?.cwd.startsWith(clones)).toBe(true)
    })
  })

  test('every row of this file was shown', () => expectAll())
})

/** A working copy whose remote can be cloned. */
function clonedRepository(folder: string): string {
  const [remote, work] = [join(folder, 'shop.git'), join(folder, 'work')]
  const git = (cwd: string, ...argv: string[]) =>
    expect(run('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...argv], { cwd })).toMatchObject({
      code: 0,
    })
  git(folder, 'init', '-q', '--bare', '-b', 'main', remote)
  git(folder, 'clone', '-q', remote, work)
  git(work, 'commit', '-q', '--allow-empty', '-m', 'First')
  git(work, 'push', '-q', 'origin', 'HEAD:main')
  return work
}
