import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openLocalStore } from '../../src/app.ts'
import { lookedAt } from '../../src/config/in-force.ts'
import { Home } from '../../src/platform/files/home.ts'
import { userConfigInForce } from '../../src/store/user-git.ts'
import { checkOut } from '../../src/workspace/clone.ts'
import type { Step } from '../stub-agent/stub-as.ts'
import { attack } from '../support/attack.ts'
import { run, temporaryFolder } from '../support/cli.ts'
import {
  claims,
  type Fleet,
  type FleetOptions,
  hang,
  init,
  result,
  testFleet,
  tool,
  until,
  writes,
} from '../support/supervisor.ts'
import { ROWS } from './git.rows.ts'

const { configuration, user, program, pipes, refs, userWriting, fetching } = ROWS.attacks

/** A fleet with a secret in its environment, a checkout for its agents, and a program that marks each of its runs. */
function grounds(options: FleetOptions, env: NodeJS.ProcessEnv = {}) {
  const config = [...(options.config ?? []), 'max_attempts=1']
  const fleet = testFleet({ ...options, config, env: { ACME_TOKEN: 's3cret-of-the-person', ...env } })
  const root = fleet.project('repository', { git: true })
  const marks = fleet.project('marks')
  const trap = join(fleet.home.project, 'trap')
  writeFileSync(trap, `#!/bin/sh\nenv >'${marks}/'$$\nexit 1\n`, { mode: 0o755 })
  return { fleet, root, trap, marks: () => readdirSync(marks).map((name) => readFileSync(join(marks, name), 'utf8')) }
}

const sh = (script: string): Step => tool({ run: ['sh', '-c', script] })

/** Every look of fleet at a checkout: claim, evidence, and what a person asks for. */
async function looks(fleet: Fleet, root: string, plant: Step) {
  const orders = (file: string) => [init, plant, writes(file), claims(), result()]
  const first = fleet.create('Plant it', orders(join(root, 'one.txt')), '--cwd', root)
  await fleet.start()
  await fleet.settled(first, 'closed')
  const second = fleet.create('Work on', orders(join(root, 'two.txt')), '--cwd', root)
  await fleet.settled(second, 'closed')
  const third = fleet.create('Wait', [init, plant, hang], '--cwd', root)
  await fleet.started(third)
  const asked = [
    ...[
      ['task', first, 'diff'],
      ['task', second, 'diff', '--json'],
      ['task', third, 'diff'],
    ],
    ...[['show', first], ['task', second, 'receipt'], ['tasks'], ['doctor'], ['kill', third]],
  ].map((argv) => ({ argv, ...fleet.fleet(...argv) }))
  expect(fleet.home.bd(['orphans'], { cwd: root }).code).toBe(0)
  await fleet.ended(third)
  return { first, second, asked }
}

const PLANT = `
  printf '* filter=trap diff=trap merge=trap\\n' >.gitattributes
  cp .gitattributes .git/info/attributes
  set_() { git config "$1" "$TRAP"; }
  for key in filter.trap.clean filter.trap.smudge filter.trap.process core.fsmonitor core.pager core.editor \\
    core.sshCommand core.askPass credential.helper diff.external diff.trap.command diff.trap.textconv merge.trap.driver \\
    gpg.program alias.status alias.diff; do set_ $key; done
  git config log.showSignature true
  mkdir -p hooks
  for hook in post-index-change reference-transaction post-checkout; do
    for folder in hooks .git/hooks; do cp "$TRAP" $folder/$hook; done
  done
  git config core.hooksPath hooks
  printf '[filter "trap"]\\nclean = %s\\n' "$TRAP" >.git/more
  git config include.path more
  if [ ! -d inner ]; then
    git -c core.fsmonitor= init -q inner
    (cd inner; printf x >x; git add .; git -c user.name=t -c user.email=t@t commit -qm x
      printf '* filter=trap\\n' >.gitattributes; git config filter.trap.clean "$TRAP"; git config core.fsmonitor "$TRAP"; printf y >x)
    printf '[submodule "inner"]\\npath = inner\\nurl = ./inner\\n' >.gitmodules
  fi
  touch kept.txt
  rm -f "$MARKS"/*
`

attack(configuration, async (options) => {
  const { fleet, root, trap, marks } = grounds(options)
  const plant = sh(`cd '${root}'; TRAP='${trap}'; MARKS='${join(fleet.home.project, 'marks')}'; ${PLANT}`)
  const { first, second, asked } = await looks(fleet, root, plant)
  expect(marks()).toEqual([])
  expect(
    asked.filter(({ argv, code }) => argv[0] !== 'doctor' && code !== 0).map(({ argv, stderr }) => ({ argv, stderr })),
  ).toEqual([])
  expect(asked[0]?.stdout).toContain('one.txt')
  expect(fleet.receipt(first).evidence.files_changed).toContain('one.txt')
  expect(fleet.receipt(second).evidence.files_changed).toContain('two.txt')
})

attack(user, async (options) => {
  const home = fleetUser(options)
  const { fleet, root, trap, marks } = grounds(options, { HOME: home })
  const plant = sh(
    [
      `cd '${root}'`,
      `printf '* filter=trap diff=trap\\n' >.gitattributes`,
      `printf '[filter "trap"]\\nclean = %s\\n[core]\\nfsmonitor = %s\\n[diff]\\nexternal = %s\\n' '${trap}' '${trap}' '${trap}' >'${home}/.gitconfig'`,
      'touch kept.txt',
    ].join('; '),
  )
  await looks(fleet, root, plant)
  expect(readFileSync(join(home, '.gitconfig'), 'utf8')).toContain(trap)
  expect(marks()).toEqual([])
})

/** A home folder of the user's, which agents of the same user can write to. */
function fleetUser({ uid }: FleetOptions): string {
  const base = temporaryFolder()
  const folder = join(base, 'user')
  mkdirSync(folder)
  if (uid !== undefined) for (const each of [base, folder]) chownSync(each, uid, uid)
  return folder
}

attack(program, async (options) => {
  const { fleet, root, trap, marks } = grounds(options)
  const names = ['git']
  const folders = [root, join(root, 'bin'), join(root, 'node_modules/.bin'), fleet.home.project]
  const plant = sh(
    folders
      .map((folder) => `mkdir -p '${folder}'; ${names.map((name) => `cp '${trap}' '${folder}/${name}'`).join('; ')}`)
      .join('; '),
  )
  const PATH = [...folders.slice(1, 3), '.', '', process.env['PATH']].join(':')
  const first = fleet.create(
    'Plant it',
    [init, plant, writes(join(root, 'one.txt')), claims(), result()],
    '--cwd',
    root,
  )
  await fleet.start()
  await fleet.settled(first, 'closed')
  for (const argv of [['task', first, 'diff'], ['show', first], ['doctor'], ['tasks']]) {
    fleet.home.fleet(argv, { cwd: root, env: { PATH } })
  }
  expect(marks()).toEqual([])
})

attack(pipes, async (options) => {
  const { fleet, root, marks } = grounds(options)
  const damage = ['index', 'HEAD', 'packed-refs'].map((name) => `rm -f .git/${name}; mkfifo .git/${name}`).join('; ')
  const id = fleet.create('Damage it', [init, sh(`cd '${root}'; ${damage}`), claims(), result()], '--cwd', root)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id).outcome.code).not.toBe('done')
  expect(fleet.fleet('task', id, 'diff')).toMatchObject({ code: 1, stderr: expect.stringContaining('.git') })
  const other = fleet.project('other', { git: true })
  const plant = sh(`cd '${other}'; mkfifo .gitignore; echo new >new.txt`)
  const ignored = fleet.create('Plant it', [init, plant, claims(), result()], '--cwd', other)
  await fleet.settled(ignored, 'blocked')
  expect(fleet.receipt(ignored).outcome.text).toContain('find . -type p')
  expect(marks()).toEqual([])
})

attack(refs, async (options) => {
  const { fleet, root } = grounds(options)
  const plant = sh(`cd '${root}'; ln -s / .git/refs/heads/x; echo new >new.txt`)
  const id = fleet.create('Link it', [init, plant, claims(), result()], '--cwd', root)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id).outcome.text).toContain('.git/refs/heads/x is a link that leads out of the refs')
  // Neither does the next agent there wait for it.
  const next = fleet.create('Next', [init, writes('next.txt'), claims(), result()], '--cwd', root)
  await fleet.settled(next, 'closed')
})

attack(userWriting, async (options) => {
  const home = fleetUser(options)
  const own = '[include]\n\tpath = more\n[user]\n\tname = Ada\n\temail = ada@example.org\n'
  const files = { '.gitconfig': own, more: '[filter "own"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n' }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(home, name), text)
    if (options.uid !== undefined) chownSync(join(home, name), options.uid, options.uid)
  }
  const { fleet, root, trap, marks } = grounds(options, { HOME: home })
  const filter = `[filter "trap"]\\nclean = ${trap}\\nsmudge = ${trap}\\n[filter "own"]\\nclean = ${trap}\\nsmudge = ${trap}\\n`
  const plant = sh(
    [
      `printf '*.txt filter=trap\\n*.own filter=own\\n' >.gitattributes`,
      `for file in '${home}/.gitconfig' '${home}/more'; do printf '${filter}' >>"$file"; done`,
      `cp kept.txt '${root}/../planted'`,
    ].join('; '),
  )
  const works = (name: string) =>
    fleet.create(
      name,
      [init, plant, writes(`${name}.own`), writes(`${name}.txt`), claims(), result()],
      '--cwd',
      root,
      '--isolation',
      'worktree',
    )
  await fleet.start()
  for (const name of ['first', 'second']) await fleet.settled(works(name), 'closed')
  expect(marks()).toEqual([])
  const shown = run('git', ['show', 'main:second.own', 'main:first.txt'], {
    cwd: root,
    ...(options.uid === undefined ? {} : { uid: options.uid }),
  })
  expect(shown.stdout).toBe('WORK\nwork\n')
  const waits = JSON.parse(fleet.fleet('tasks', '--json').stdout).attention
  expect(waits.map((each: { file?: string }) => each.file)).toEqual([join(home, '.gitconfig'), join(home, 'more')])
  expect(fleet.fleet('config', 'accept', join(home, 'more'))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(trap),
  })
  expect(fleet.fleet('config', 'revert')).toMatchObject({ code: 0 })
  expect(readFileSync(join(home, '.gitconfig'), 'utf8')).toBe(own)
})

attack(fetching, async (options) => {
  const home = fleetUser(options)
  const mark = join(home, 'mark')
  const { fleet, root } = grounds(options, { HOME: home })
  const remote = temporaryFolder()
  writeFileSync(join(remote, '.gitattributes'), '* filter=trap\n')
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost']
  for (const argv of [
    ['init', '-q'],
    ['add', '.'],
    [...who, 'commit', '-qm', 'Attributes'],
  ]) {
    expect(run('git', argv, { cwd: remote })).toMatchObject({ code: 0 })
  }
  const filter = `[filter "trap"]\nsmudge = touch ${mark}\n`
  const id = fleet.create('Plant it', [init, sh(`printf '${filter}' >'${home}/.gitconfig'`), hang], '--cwd', root)
  await fleet.start()
  await fleet.started(id)
  await until(
    async () => existsSync(join(home, '.gitconfig')),
    () => 'it is planted',
  )
  await using store = openLocalStore(new Home(fleet.home.path))
  const env = { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  const config = () => userConfigInForce(env, (path) => lookedAt(new Home(fleet.home.path), path, store.record))
  // As fleet clones a repository on another machine of a shared queue.
  await checkOut({ remote, root: join(home, 'clone'), alone: true }, { config })
  expect([existsSync(join(home, 'clone/.gitattributes')), existsSync(mark)]).toEqual([true, false])
})
