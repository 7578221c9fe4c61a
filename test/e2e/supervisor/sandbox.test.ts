import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../../src/platform/process/program.ts'
import { run, temporaryFolder } from '../../support/cli.ts'
import { processesWith } from '../../support/home-run.ts'
import { type Fleet, hang, healthy, init, testFleet, tool, until } from '../../support/supervisor.ts'

const hasBwrap = findProgram('bwrap', process.env) !== undefined
const isRoot = process.getuid?.() === 0

/** Each line is a try: its name, and a command. What came of them stands among the artifacts. */
function trying(tries: Readonly<Record<string, string>>): string {
  return Object.entries(tries)
    .map(
      ([name, command]) =>
        `(${command}) >/dev/null 2>&1 && echo "${name}: done" >>"$OUT" || echo "${name}: refused" >>"$OUT"`,
    )
    .toSpliced(0, 0, 'OUT="$FLEET_ARTIFACT_DIR/tries.txt"')
    .join('\n')
}

function triesOf(fleet: Fleet, id: string): Readonly<Record<string, string>> {
  const lines = fleet.text(id, 'artifacts', 'tries.txt').trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
}

/** Not below /tmp, which is another folder inside. */
function folderElsewhere(): string {
  const folder = mkdtempSync(join(import.meta.dirname, '../../../node_modules/.sandbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The user's home, with logins and keys, and a project in it. */
function userHome(uid?: number): string {
  const home = folderElsewhere()
  for (const [path, text] of Object.entries({
    '.ssh/id_ed25519': 'key',
    '.aws/credentials': 'key',
    '.netrc': 'login',
    '.codex/auth.json': 'login',
    '.npmrc': 'login',
    '.plain': 'plain',
    '.cache/kept': 'plain',
    '.gradle/init.gradle': 'plain',
    'kept/file': 'plain',
    'shop/file': 'plain',
  })) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  for (const argv of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'a'],
  ])
    run('git', argv, { cwd: join(home, 'shop') })
  for (const path of ['modules/libs/m/HEAD', 'modules/libs/m/config', 'worktrees/x/HEAD']) {
    mkdirSync(dirname(join(home, 'shop/.git', path)), { recursive: true })
    writeFileSync(join(home, 'shop/.git', path), '')
  }
  if (uid !== undefined) run('chown', ['-R', `${uid}:${uid}`, home])
  return home
}

describe.skipIf(!hasBwrap)('in a sandbox', () => {
  test.each(isRoot ? [undefined, 1000] : [undefined])(
    'an agent writes its own places and reads no logins (uid %s)',
    async (uid) => {
      const user = userHome(uid)
      const fleet = testFleet({
        config: ['sandbox=required'],
        env: { HOME: user, SSH_AUTH_SOCK: join(user, 'socket') },
        ...(uid === undefined ? {} : { uid }),
      })
      await using agent = createServer().listen(join(user, 'socket'))
      await once(agent, 'listening')
      const project = join(user, 'shop')
      const other = fleet.create('Other', 'true', '--sandbox', 'off')
      const id = fleet.create(
        'Tries',
        trying({
          'write in its tree': 'echo a >made.txt',
          'commit there': 'git add -A && git -c user.name=a -c user.email=a@b commit -qm made',
          'write artifacts': 'echo a >"$FLEET_ARTIFACT_DIR/made.txt"',
          'write a temporary file': 'echo a >"$(mktemp)" && echo a >/tmp/made',
          'write a cache': 'echo a >~/.cache/made',
          'read what is no secret': 'cat ~/.plain',
          'run node': 'node -e 1',
          'see its own processes': 'test -e /proc/self/stat',
          'write in its home directory': 'echo a >~/made',
          'write beside its project': 'echo a >../made.txt',
          'write through a link': 'ln -s .. way && echo a >way/made.txt',
          'remove outside': 'rm -rf ~/kept',
          'write a hook': 'echo a >.git/hooks/pre-commit',
          'change the configuration of git': 'git config core.hooksPath /tmp',
          'replace the folder of git': 'mv .git other && mkdir .git',
          'replace the configuration of git': 'echo a >made.txt && mv -f made.txt .git/config',
          'configure one checkout': 'echo a >made.txt && mv -f made.txt .git/config.worktree',
          'configure a submodule': 'echo a >>.git/modules/libs/m/config',
          'write a hook of a submodule': 'mkdir -p .git/modules/libs/m/hooks/made',
          'replace the folder of a submodule': 'mv .git/modules/libs .git/modules/other',
          'configure the checkout of somebody else': 'echo a >.git/worktrees/x/commondir',
          'write what builds run': 'echo a >>~/.gradle/init.gradle',
          'read a key': 'cat ~/.ssh/id_ed25519',
          'read a login of the cloud': 'cat ~/.aws/credentials || grep . ~/.netrc ~/.npmrc',
          'reach a socket that a variable names': 'test -S "$SSH_AUTH_SOCK"',
          'read a login of another coder': 'cat ~/.codex/auth.json',
          'open the store': 'cat "$FLEET_HOME/fleet.db"',
          'read another task': `ls "$FLEET_HOME/tasks/${other}"`,
          'change its evidence': 'echo a >>"$FLEET_TASK_DIR/attempts/1/stdout.jsonl"',
          'kill the supervisor': 'kill -9 "$(cat pid)"',
          'mount it anew': 'mount -o remount,rw / || umount ~/.ssh',
        }),
        '--cwd',
        project,
      )
      mkdirSync(join(project, 'sub'))
      const away = fleet.create('Led away', 'cat id_ed25519', '--cwd', join(project, 'sub'))
      rmdirSync(join(project, 'sub'))
      symlinkSync(join(user, '.ssh'), join(project, 'sub'))
      await fleet.start()
      writeFileSync(join(project, 'pid'), String(fleet.pid))
      await fleet.settled(id, 'closed')
      await fleet.settled(away, 'blocked')
      expect(fleet.runs(away)).toMatchObject([{ outcome: { code: 'missing-cwd' } }])
      expect(triesOf(fleet, id)).toEqual({
        'write in its tree': 'done',
        'commit there': 'done',
        'write artifacts': 'done',
        'write a temporary file': 'done',
        'write a cache': 'done',
        'read what is no secret': 'done',
        'run node': 'done',
        'see its own processes': 'done',
        'write in its home directory': 'refused',
        'write beside its project': 'refused',
        'write through a link': 'refused',
        'remove outside': 'refused',
        'write a hook': 'refused',
        'change the configuration of git': 'refused',
        'replace the folder of git': 'refused',
        'replace the configuration of git': 'refused',
        'configure one checkout': 'refused',
        'configure a submodule': 'refused',
        'write a hook of a submodule': 'refused',
        'replace the folder of a submodule': 'refused',
        'configure the checkout of somebody else': 'refused',
        'write what builds run': 'refused',
        'read a key': 'refused',
        'read a login of the cloud': 'refused',
        'reach a socket that a variable names': 'refused',
        'read a login of another coder': 'refused',
        'open the store': 'refused',
        'read another task': 'refused',
        'change its evidence': 'refused',
        'kill the supervisor': 'refused',
        'mount it anew': 'refused',
      })
      expect(existsSync(join(user, 'kept', 'file'))).toBe(true)
      expect(readFileSync(join(user, '.cache', 'made'), 'utf8')).toBe('a\n')
      expect(readdirSync(user).filter((name) => name.startsWith('made'))).toEqual([])
      expect(fleet.receipt(id).given).toMatchObject({ sandbox: { mode: 'required', network: 'on' } })
      expect(fleet.fleet('show', id).stdout).toContain('sandbox:      required\n')
    },
  )

  describe.each(isRoot ? ['auto', 'off'] : ['auto'])('with pid_namespace=%s', (namespace) => {
    test('an agent says that it is done, outlives its supervisor, ends gracefully, and leaves nothing after a kill', async () => {
      const fleet = testFleet({ config: ['sandbox=required', `pid_namespace=${namespace}`, 'timeouts.grace=20s'] })
      fleet.fleet('config', 'set', `sandbox_write=["${dirname(fleet.stub.folder)}"]`)
      const lasting = fleet.create('Lasting', [init, tool({ waitFor: 'go' }), ...healthy('made.txt').slice(1)])
      const graceful = fleet.create('Graceful', [
        { on: 'SIGTERM', do: [{ touch: '$FLEET_ARTIFACT_DIR/told' }, { exit: 7 }] },
        init,
        tool({ touch: '$FLEET_ARTIFACT_DIR/ready' }, hang),
      ])
      const stubborn = fleet.create('Stubborn', [
        { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
        init,
        { child: { setsid: true, do: [{ ignore: ['SIGTERM'] }, hang] } },
        tool({ touch: '$FLEET_ARTIFACT_DIR/ready' }, hang),
      ])
      await fleet.start()
      const ready = async (id: string) =>
        await until(
          async () => fleet.exists(id, 'artifacts', 'ready'),
          () => `${id} is ready`,
        )
      for (const id of [graceful, stubborn]) await ready(id)
      await fleet.started(lasting)
      const before = fleet.runs(lasting)[0]?.proc
      await fleet.end('SIGKILL')
      await fleet.start()
      await until(
        async () => fleet.log().some(({ adopted }) => adopted === 3),
        () => 'the next supervisor has them',
      )
      expect(fleet.fleet('kill', graceful).code).toBe(0)
      expect(fleet.exists(graceful, 'artifacts', 'told')).toBe(true)
      expect(fleet.receipt(graceful).evidence.exit).toEqual({ kind: 'code', code: 7, from: 'file' })
      fleet.fleet('config', 'set', 'timeouts.grace=1s')
      expect(fleet.fleet('kill', stubborn).code).toBe(0)
      for (const id of [graceful, stubborn])
        expect(fleet.runs(id).flatMap((run) => processesWith([`FLEET_RUN_ID=${run.id}\0`]))).toEqual([])
      writeFileSync(join(fleet.runs(lasting)[0]?.cwd ?? '', 'go'), '')
      await fleet.settled(lasting, 'closed')
      expect(fleet.runs(lasting)).toMatchObject([{ proc: before, outcome: { code: 'done' } }])
      expect(fleet.receipt(lasting).claim).toEqual({ how: 'letter', summary: 'all done' })
    })
  })

  test('the commands of an agent work, through a supervisor that is started again, and read no file outside', async () => {
    const fleet = testFleet({ config: ['sandbox=required'] })
    const user = folderElsewhere()
    writeFileSync(join(user, 'secret'), 'a secret')
    const other = fleet.create('Another task', 'true', '--sandbox', 'off', '--on', 'nowhere')
    const id = fleet.create(
      'Talks',
      [
        'go() { "$@" >>"$FLEET_ARTIFACT_DIR/said" 2>&1 || echo "status $?" >>"$FLEET_ARTIFACT_DIR/said"; }',
        `go fleet bd show ${other} --short`,
        'go fleet bd create "Found on the way" --silent',
        `echo "from stdin" | go fleet bd comment ${other} --stdin`,
        `go fleet bd create "With a file" --body-file ${user}/secret`,
        `go fleet bd export -o ${user}/made`,
        `ln -s ${user} way && go fleet bd create "Led away" --cwd way`,
        `go fleet bd close ${other}`,
        `go fleet task ${other} log`,
        'until [ -e go ]; do sleep 0.1; done',
        `go fleet bd show ${other} --short`,
        'go fleet bd close "$FLEET_TASK_ID" --reason "all said"',
      ].join('\n'),
    )
    await fleet.start()
    const said = () => (fleet.exists(id, 'artifacts', 'said') ? fleet.text(id, 'artifacts', 'said') : '')
    await until(
      async () => said().includes('fleet task does not work'),
      () => 'it said what it can',
    )
    await fleet.end('SIGKILL')
    writeFileSync(join(fleet.runs(id)[0]?.cwd ?? '', 'go'), '')
    await fleet.start()
    await fleet.settled(id, 'closed')
    const found = (await fleet.task(/^fleet-\w+$/m.exec(said().split('\n')[1] ?? '')?.[0] ?? '')) ?? {}
    expect(found).toMatchObject({ title: 'Found on the way', created_by: `agent:${id}` })
    const lines = said().replaceAll(other, 'OTHER').replaceAll(found.id, 'FOUND').replaceAll(user, 'USER')
    expect(lines.split('\n')).toEqual([
      '○ OTHER P2 Another task',
      'FOUND',
      '✓ Comment added to OTHER — Another task',
      'Error: reading body file: failed to open file: open USER/secret: USER/secret is not read in a sandbox',
      'status 1',
      'fleet: fleet bd export does not work in a sandbox',
      '  fleet bd, show, ready, tasks, done, ask and note do',
      'status 1',
      expect.stringMatching(/^Error: --cwd way is outside/),
      expect.stringMatching(/^Hint: /),
      'status 1',
      expect.stringMatching(/^Error: OTHER is not your task/),
      expect.stringMatching(/^Hint: /),
      'status 1',
      'fleet: fleet task does not work in a sandbox',
      '  fleet bd, show, ready, tasks, done, ask and note do',
      'status 8',
      '○ OTHER P2 Another task',
      expect.stringContaining(id),
      '',
    ])
    expect(fleet.text(id, 'log.jsonl')).toMatch(/"kind":"done","summary":"all said"/)
    expect(existsSync(join(user, 'made'))).toBe(false)
  })

  test('without a network an agent reaches not even this machine', async () => {
    await using server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const fleet = testFleet({ config: ['sandbox=required'] })
    const off = fleet.project('off')
    fleet.fleet('config', 'set', `projects.${off}.sandbox_network=off`)
    const code = `require("net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(1))`
    const script = trying({ 'connect to it': `node -e '${code}'` })
    const ids = [fleet.create('On', script), fleet.create('Off', script, '--cwd', off)]
    await fleet.start()
    for (const id of ids) await fleet.settled(id, 'closed')
    expect(ids.map((id) => triesOf(fleet, id)['connect to it'])).toEqual(['done', 'refused'])
  })
})

test('where no sandbox works, a task that must have one waits and says why, and one that prefers it runs without', async () => {
  const broken = temporaryFolder()
  writeFileSync(join(broken, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n')
  chmodSync(join(broken, 'bwrap'), 0o755)
  const PATH = `${broken}:${process.env['PATH']}`
  const fleet = testFleet({ env: { PATH } })
  const must = fleet.create('Must', 'echo a >must.txt', '--sandbox', 'required')
  const may = fleet.create('May', 'echo a >may.txt', '--sandbox', 'preferred')
  await fleet.start()
  await fleet.settled(may, 'closed')
  const why = 'bwrap: No permissions to create new namespace'
  expect(fleet.receipt(may)).toMatchObject({
    given: { sandbox: { mode: 'preferred', missing: why } },
    warnings: [`it ran without a sandbox: ${why}`],
  })
  expect(fleet.runs(must)).toEqual([])
  const shown = fleet.home.fleet(['show', must], { env: { PATH } }).stdout.replaceAll(/\n +/g, ' ')
  expect(shown).toContain(`not running:  it may run in a sandbox only, and none works here: ${why} (fleet doctor)`)
  fleet.fleet('config', 'set', 'sandbox=required')
  const doctor = fleet.home.fleet(['doctor'], { env: { PATH } })
  expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain(`${why}; agents that must have one are not started`)
  expect(doctor.code).toBe(1)
})
