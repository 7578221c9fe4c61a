import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { FLEET, scrubbed, temporaryFolder, testHome } from '../support/cli.ts'
import { describeWithPostgres } from '../support/postgres.ts'
import { until } from '../support/supervisor.ts'

describeWithPostgres('a PostgreSQL server that is not ready yet', (server) => {
  test('is waited for by a supervisor and by commands, and a signal ends the wait', async () => {
    const home = testHome(temporaryFolder(), ['--queue', server.newUrl()])
    const { id } = JSON.parse(home.bd(['create', 'Later', '--coder', 'shell', '-d', 'echo done', '--json']).stdout).data
    await server.stop()
    await server.startUnready()

    const start = (...argv: readonly string[]) => {
      const child = spawn(process.execPath, [FLEET, ...argv], {
        env: { ...scrubbed(), FLEET_HOME: home.path },
        cwd: home.project,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text) => {
          said += text
        })
      return { child, said: () => said }
    }
    const waits = async (supervisor: ReturnType<typeof start>): Promise<void> =>
      await until(
        async () => /is not ready: .*; waiting for it/.test(supervisor.said()),
        () => `it waits: ${supervisor.said()}`,
      )

    const stopped = start('run')
    await waits(stopped)
    stopped.child.kill('SIGTERM')
    const [code] = await once(stopped.child, 'exit')
    expect([code, stopped.said()]).toEqual([7, expect.stringContaining('is not ready')])

    const supervisor = start('run')
    await waits(supervisor)
    const command = start('bd', 'show', id, '--json')
    await server.promote()
    const [shown] = await once(command.child, 'exit')
    expect([shown, command.said()]).toEqual([0, expect.stringContaining('Later')])
    await until(
      async () => JSON.parse(home.bd(['show', id, '--json']).stdout)[0].status === 'closed',
      () => `its task runs: ${supervisor.said()}`,
    )
    supervisor.child.kill('SIGTERM')
    await once(supervisor.child, 'exit')
  })
})
