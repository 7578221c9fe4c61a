import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, run } from '../../support/cli.ts'
import { fakeBd } from '../../support/fake-bd.ts'

/** A home whose bd only records its arguments. */
function home(options: Parameters<typeof fakeBd>[0] = {}) {
  const fake = fakeBd(options)
  fake.db.exec(`insert into meta (key, value) values ('queue', 'beads')`)
  fake.shows({ id: 'fleet-a', metadata: { old: 1 } })
  const project = join(fake.folder, 'project')
  mkdirSync(project)
  const env = { ...fake.env, FLEET_HOME: fake.folder, HOME: fake.folder }
  const called = (argv: readonly string[], path = env.PATH) => {
    const before = fake.calls().length
    const ran = run(process.execPath, [FLEET, 'bd', ...argv], { cwd: project, env: { ...env, PATH: path } })
    const calls = fake.calls().slice(before)
    return {
      ...ran,
      calls: calls.filter((call) => !/version --json|export --all/.test(call)).map((call) => call.trim()),
    }
  }
  return { ...fake, env, project, called }
}

const CREATED = `echo '{"data":{"id":"fleet-n","title":"n","status":"open"},"schema_version":1}'`

test('settings and metadata given together both arrive', () => {
  const { called } = home()
  expect(called(['update', 'fleet-a', '--metadata', '{"a":1}', '--coder', 'claude']).calls).toEqual([
    'update fleet-a --metadata={"a":1,"fleet":{"coder":"claude"}}',
  ])
  expect(called(['update', 'fleet-a', '--set-metadata', 'team=web', '--coder=claude', '-p', '1']).calls).toEqual([
    'update fleet-a -p 1 --metadata={"team":"web","fleet":{"coder":"claude"}}',
  ])
  const twice = ['--coder=codex', '--lock', 'db', '--coder', 'claude', '--lock=gpu']
  expect(called(['update', 'fleet-a', '--metadata', '{"a":1}', ...twice]).calls).toEqual([
    'update fleet-a --metadata={"a":1,"fleet":{"coder":"claude","lock":"db,gpu"}}',
  ])
  expect(called(['update', 'fleet-a', '--unset-metadata=old', '--coder', 'claude']).calls).toEqual([
    'update fleet-a --unset-metadata=old',
    'update fleet-a --metadata={"fleet":{"coder":"claude"}}',
  ])
})

test('a title may follow --', () => {
  const { called, answers, project } = home()
  answers(CREATED)
  expect(called(['create', '--silent', '--', '--odd']).calls).toEqual([
    `create --metadata={"fleet":{"cwd":"${project}"}} --json -- --odd`,
  ])
})

test('a bd that would create a task before its dependencies gets both as one line', () => {
  const { called, answers } = home({ version: '1.2.2' })
  answers(`echo '{"created":1}'`)
  const ran = called(['create', 'next', '--deps', 'fleet-a', '--silent'])
  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^fleet-\w+\n$/) })
  expect(ran.calls).toEqual([expect.stringMatching(/ import - .*"depends_on_id":"fleet-a"/)])
})

test("without a database in the home bd is not called, because it would use the project's own", () => {
  const { called, beads } = home()
  rmSync(join(beads, 'metadata.json'))
  expect(called(['create', 'x'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${beads} is not a beads database`),
    calls: [],
  })
})

test('a bd on PATH that calls fleet bd is skipped', () => {
  const { called, folder, env } = home()
  const scripts = join(folder, 'scripts')
  mkdirSync(scripts)
  writeFileSync(join(scripts, 'bd'), `#!/bin/sh\nexec ${process.execPath} ${FLEET} bd "$@"\n`)
  chmodSync(join(scripts, 'bd'), 0o755)
  expect(called(['list'], `${scripts}${delimiter}${env.PATH}`)).toMatchObject({ code: 0, calls: ['list'] })
})

test('a bd that is killed in the middle is reported, whether it runs on the terminal or for fleet', () => {
  const { called, answers } = home()
  const killed = `Error: bd was killed by SIGKILL before it had finished: what it was asked to do may be done or not
Hint: look with fleet bd list or fleet bd show before you run it again
`
  answers('kill -9 $$')
  expect(called(['close', 'fleet-a'])).toMatchObject({ code: 137, stdout: '', stderr: killed })
  expect(called(['create', 'new'])).toMatchObject({ code: 137, stdout: '', stderr: killed })
  expect(called(['create', 'new', '--json'])).toMatchObject({ code: 137, stdout: '', stderr: killed })
  expect(called(['update', 'fleet-a', '--coder', 'claude'])).toMatchObject({ code: 137, stdout: '', stderr: killed })
  answers('exit 1')
  expect(called(['create', 'new'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'Error: bd create failed and did not say why (exit 1)\n',
  })
})

test('fleet’s own call of a bd that is killed says so', async () => {
  const { queue, answers } = home()
  answers('echo "opening the journal" >&2; kill -9 $$')
  await expect(queue.comment('fleet-a', 'hello', 'anna')).rejects.toThrow(
    'bd comment failed: it was killed by SIGKILL before it had finished (its last words: opening the journal)',
  )
})
