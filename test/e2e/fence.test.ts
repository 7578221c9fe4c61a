import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, run, scrubbed } from '../support/cli.ts'
import { claims, type Fleet, hang, init, result, testFleet, until, writes } from '../support/supervisor.ts'

/** A fleet with an agent at work. */
async function busy(): Promise<{ fleet: Fleet; id: string }> {
  const fleet = testFleet()
  const id = fleet.create('At work', [init, hang])
  await fleet.start()
  await fleet.started(id)
  return { fleet, id }
}

test('a person beside a running agent can do everything, however the command is started', async () => {
  const { fleet } = await busy()
  const env = { ...scrubbed(), FLEET_HOME: fleet.home.path }
  const bare = `env -i PATH="$PATH" FLEET_HOME="$FLEET_HOME"`
  const lost = `sh -c '(while kill -0 $$ 2>/dev/null; do :; done; "$@" >out 2>&1; echo $? >code) & exit 0' sh`
  const wait =
    'i=0; while [ ! -s code ] && [ $i -lt 1200 ]; do sleep 0.1; i=$((i + 1)); done; cat out; exit $(cat code)'
  const ways = ['$DO', `${bare} $DO`, 'setsid --wait $DO', 'nohup $DO', `sh -c '"$@"; exit $?' sh $DO`]
  const orphans = [`${lost} $DO; ${wait}`, `${bare} setsid ${lost} $DO; ${wait}`]
  for (const [at, way] of [...ways, ...orphans].entries()) {
    const id = fleet.create('A task', 'true', '--defer', '+1d')
    const folder = fleet.project(`way-${at}`)
    const done = run('sh', ['-c', way], {
      cwd: folder,
      env: { ...env, DO: `${process.execPath} ${FLEET} bd close ${id} --force` },
    })
    expect({ way, ...done }).toMatchObject({ way, code: 0 })
    expect((await fleet.task(id)).status).toBe('closed')
  }
})

test('a person can do everything in the shell that started the supervisor', async () => {
  const fleet = testFleet()
  const id = fleet.create('At work', [init, hang])
  const f = `${process.execPath} ${FLEET}`
  const script = [
    'set -e',
    `${f} run start`,
    `until ${f} run status --json | grep -q '"agents": 1'; do sleep 0.1; done`,
    `${f} config set max_concurrent=7`,
    `${f} bd comment ${id} hello`,
    `${f} pause`,
    `${f} resume`,
    `${f} kill ${id}`,
    `${f} run stop`,
  ].join('\n')
  const done = run('sh', ['-c', script], {
    env: { ...scrubbed(), FLEET_HOME: fleet.home.path, PATH: fleet.stub.path },
  })
  expect(done).toMatchObject({ code: 0, stderr: '' })
})

test('an agent may use a home of its own, with agents of its own, and none of them reaches the home outside', async () => {
  const fleet = testFleet()
  const inner =
    'fleet config set max_concurrent=9 2>inner; FLEET_HOME=$OUTER fleet config set max_concurrent=9 2>outer; true'
  const script = [
    'set -e',
    'OUTER=$FLEET_HOME',
    'export FLEET_HOME="$PWD/mine"',
    'fleet init --queue local',
    'fleet config set "env_pass=[\\"OUTER\\"]"',
    'id=$(fleet bd create "Closed" --silent)',
    'fleet bd close $id --force',
    `printf '%s' '${inner}' >script`,
    'OUTER=$OUTER fleet bd create "Inner" --silent --coder shell --cwd "$PWD" --description "$(cat script)" --json >made',
    'OUTER=$OUTER fleet run --once >ran 2>&1',
    'env -i PATH="$PATH" FLEET_HOME="$FLEET_HOME" "$(command -v fleet)" config set max_concurrent=4',
  ].join('\n')
  const project = fleet.project('nested')
  const id = fleet.create('Try out fleet', script, '--cwd', project)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const [outerRun] = fleet.runs(id)
  const said = (name: string) => readFileSync(join(project, name), 'utf8')
  expect(said('outer')).toContain(`run ${outerRun?.id} of ${id}`)
  expect(said('inner')).toMatch(/is for people: .*\(this is run [\w-]+ of fleet-\w+\)/)
  expect(said('inner')).not.toContain(outerRun?.id)
})

test('a supervisor that takes over a run after a crash accepts its letters', async () => {
  const fleet = testFleet()
  const id = fleet.create('Outlives it', [
    init,
    writes('work.txt'),
    { waitFor: '../go' },
    claims('still heard'),
    result(),
  ])
  await fleet.start()
  await fleet.started(id)
  await fleet.start('SIGKILL')
  await until(
    async () => fleet.log().some(({ event }) => event === 'run-found'),
    () => 'the run is adopted',
  )
  fleet.touch('go')
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id)).toMatchObject({ claim: { how: 'letter', summary: 'still heard' }, warnings: [] })
  expect(existsSync(join(fleet.home.path, 'tasks', id, 'attempts/2'))).toBe(false)
})
