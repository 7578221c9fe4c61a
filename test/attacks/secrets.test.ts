import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { attack } from '../support/attack.ts'
import { FLEET, scrubbed, temporaryFolder } from '../support/cli.ts'
import { type Fleet, type FleetOptions, testFleet } from '../support/supervisor.ts'
import { tablesWith } from '../support/tables.ts'
import { ROWS } from './secrets.rows.ts'

const { environment, descriptors, tasks, files, encoded, supervisor } = ROWS.attacks

/** Secrets by value; the names say nothing. */
const WITHHELD = {
  DATABASE_URL: 'postgres://ann:hunter2secret@db.example.org/app',
  HOOK: `https://hooks.slack.com/services/T0/B0/${'s1'.repeat(12)}`,
  REGISTRY_LOGIN: '{"auths":{"r.example.org":{"auth":"dXNlcjpodW50ZXIyc2VjcmV0"}}}',
  MYSQL_PWD: 'hunter2secret',
  STORAGE: 'Server=db;User Id=sa;Password=hunter2secret',
}

/** What an agent has all the same: a variable that env_pass names, one of its coder, and a token that it found. */
const PASSED = 'passed-4fe2c81b77aa'
const GIVEN = 'given9c1d55e0'
const FOUND = `ghp_${'a1B2'.repeat(9)}`
const SECRETS = [PASSED, GIVEN, FOUND]

function fleetWithSecrets(options: FleetOptions, env: NodeJS.ProcessEnv = {}): Fleet {
  return testFleet({
    ...options,
    env: { ...options.env, MY_TOKEN: PASSED, ...env },
    config: [
      ...(options.config ?? []),
      'max_attempts=1',
      'env_pass=["MY_TOKEN"]',
      `coders.shell.env={ACME_LOGIN="${GIVEN}"}`,
    ],
  })
}

/** The description of a task has the script: it must not contain the token itself. */
const FINDS = "found=ghp_$(printf 'a1B2%.0s' 1 2 3 4 5 6 7 8 9)"

/** All of them, with words around. */
const ALL = 'x $MY_TOKEN y $ACME_LOGIN z $found end'
const MASKED = 'x [redacted] y [redacted] z [redacted] end'

attack(environment, async (options) => {
  const proxy = { https_proxy: 'http://ann:hunter2secret@proxy.example.org:3128' }
  const fleet = testFleet({ ...options, env: { ...WITHHELD, ...proxy } })
  const id = fleet.create('Looks', 'env > env.txt')
  await fleet.start()
  const { metadata } = await fleet.settled(id, 'closed')
  const given = readFileSync(join(cwdOf(metadata), 'env.txt'), 'utf8')
  for (const name of Object.keys(WITHHELD)) expect(given).not.toContain(`${name}=`)
  expect(given).not.toContain('hunter2')
  expect(given).toContain('https_proxy=http://proxy.example.org:3128\n')
  const { stdout } = fleet.fleet('doctor')
  for (const name of [...Object.keys(WITHHELD), 'https_proxy']) expect(stdout).toContain(name)
  expect(stdout).toContain('DATABASE_URL (a URL with a password)')
  expect(stdout).not.toContain('hunter2')
})

attack(descriptors, async (options) => {
  const fleet = testFleet(options)
  const id = fleet.create('Looks', 'ls -l /proc/self/fd > fds.txt')
  const secret = join(temporaryFolder(), 'secret')
  writeFileSync(secret, 'a secret')
  chmodSync(secret, 0o644)
  chmodSync(dirname(secret), 0o755)
  const shell = `exec "$0" "$1" run --once 9<"$2" 40<"$2" 200<"$2"`
  const child = spawn('bash', ['-c', shell, process.execPath, FLEET, secret], {
    cwd: '/',
    env: { ...scrubbed(), FLEET_HOME: fleet.home.path },
    stdio: 'ignore',
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  })
  expect(await once(child, 'exit')).toEqual([0, null])
  const { metadata } = await fleet.settled(id, 'closed')
  const listed = readFileSync(join(cwdOf(metadata), 'fds.txt'), 'utf8')
  const links = listed.split('\n').filter((line) => / -> /.test(line) && !/ -> \/proc\/\d+\/fd$/.test(line))
  expect(links.map((line) => /(\d+) -> /.exec(line)?.[1])).toEqual(['0', '1', '2'])
})

attack(tasks, async (options) => {
  const fleet = fleetWithSecrets(options)
  const script = [
    FINDS,
    `made=$(fleet bd create "title ${ALL}" -d "description ${ALL}" --notes "notes ${ALL}" -l "$ACME_LOGIN" --silent)`,
    'printf "from a file $found" > body.txt',
    'fleet bd create "From a file" --body-file body.txt',
    `fleet bd comment "$made" "comment ${ALL}"`,
    `fleet bd note "$FLEET_TASK_ID" "note ${ALL}"`,
    `fleet bd update "$FLEET_TASK_ID" --append-notes "more ${ALL}"`,
    'fleet bd tag "$made" "$ACME_LOGIN-tag"',
    `fleet bd remember "memory ${ALL}" --key one`,
    `fleet bd kv set two "value ${ALL}"`,
    `fleet note "letter ${ALL}"`,
  ]
  const id = fleet.create('Writes', script.join('\n'), '--labels', 'first')
  await fleet.start()
  await fleet.ended(id)
  await fleet.end('SIGTERM')
  const shown = [
    fleet.fleet('bd', 'export').stdout,
    fleet.fleet('bd', 'list', '--json', '--all').stdout,
    fleet.fleet('bd', 'memories').stdout,
    fleet.fleet('bd', 'kv', 'list').stdout,
    fleet.fleet('show', id, '--json').stdout,
    fleet.fleet('bd', 'show', id, '--json').stdout,
  ].join('\n')
  for (const part of ['title', 'description', 'notes', 'comment', 'note', 'more', 'memory', 'value']) {
    expect(shown).toContain(`${part} ${MASKED}`)
  }
  expect(shown).toContain('from a file [redacted]')
  expect(shown).toContain('[redacted]-tag')
  expect(SECRETS.filter((secret) => shown.includes(secret))).toEqual([])
  // The store keeps the runtime.toml that the person left, with the variables of coders.
  expect(tablesWith(join(fleet.home.path, 'fleet.db'), SECRETS)).toEqual(['accepted_file'])
  for (const name of ['fleet.db', 'fleet.db-wal']) {
    const stored = readFileSync(join(fleet.home.path, name), 'latin1')
    expect([PASSED, FOUND].filter((secret) => stored.includes(secret))).toEqual([])
  }
})

const script = findProgram('script', process.env)

/** The same command on a terminal. */
async function onTerminal(fleet: Fleet, argv: readonly string[]): Promise<string> {
  const command = [process.execPath, FLEET, ...argv].map((word) => `'${word}'`).join(' ')
  const child = spawn(script ?? '', ['-qec', command, '/dev/null'], {
    cwd: fleet.home.project,
    env: { ...scrubbed(), FLEET_HOME: fleet.home.path, MY_TOKEN: PASSED, TERM: 'xterm', COLUMNS: '60' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return await text(child.stdout)
}

/** A line of a private key, which looks like nothing alone. */
const KEY_LINE = 'MIIEowIBAAKCAQEA0123456789'

attack(files, async (options) => {
  const fleet = fleetWithSecrets(options)
  const cwd = fleet.project('work', { git: true })
  const lines = [
    FINDS,
    `all="${ALL}"`,
    `printf 'plan %s\n%s\n%s\n%s\n' "$all" '-----BEGIN RSA PRIVATE'' KEY-----' "$(printf 'MIIEowIB%s' AAKCAQEA0123456789)" '-----END RSA PRIVATE KEY-----' > "$FLEET_ARTIFACT_DIR/PLAN_AND_STATUS.md"`,
    'echo "knowledge $all" > "$FLEET_ARTIFACT_DIR/KNOWLEDGE.md"',
    'echo "output $all"',
    'echo "stderr $all" >&2',
    'echo "changed $all" >> kept.txt',
    'echo "new $all" > "new-$ACME_LOGIN.txt"',
    'fleet note "letter $all"',
    'fleet ask "question $all?" --option "$all" --default "$all"',
  ]
  const id = fleet.create('Writes', lines.join('\n'), '--cwd', cwd)
  await fleet.start()
  await fleet.ended(id)
  const exits = [
    ...['plan', 'knowledge', 'stderr', 'output', 'transcript', 'events', 'log', 'prompt', 'receipt'].map((name) => [
      'task',
      id,
      name,
    ]),
    ['log'],
    ['show', id],
    ['tasks', '--all'],
    ['questions'],
    ['doctor'],
    ['bd', 'show', id],
    ['bd', 'comments', id],
    ['run', 'status'],
  ]
  for (const argv of exits) {
    const json = fleet.fleet(...argv, '--json').stdout
    expect([argv, found(json)]).toEqual([argv, []])
    if (script === undefined || options.uid !== undefined) continue
    const seen = await onTerminal(fleet, argv)
    expect([argv, found(seen)]).toEqual([argv, []])
  }
  const read = (name: string) => JSON.parse(fleet.fleet('task', id, name, '--json').stdout).text
  expect(read('plan')).toBe(`plan ${MASKED}\n[redacted]\n`)
  expect(read('stderr')).toContain(`stderr ${MASKED}`)
  // Evidence stays as the agent wrote it, for programs and on disk.
  expect(fleet.fleet('task', id, 'stderr').stdout).toContain(`stderr x ${PASSED} y ${GIVEN} z ${FOUND} end`)
  expect(fleet.text(id, 'artifacts', 'KNOWLEDGE.md')).toContain(FOUND)
})

function found(shown: string): string[] {
  return [...SECRETS, KEY_LINE].filter((secret) => shown.includes(secret))
}

attack(encoded, async (options) => {
  const fleet = fleetWithSecrets(options)
  const id = fleet.create(
    'Encodes',
    'echo "$ACME_LOGIN" | od -An -tx1 | tr -d " \\n" > "$FLEET_ARTIFACT_DIR/KNOWLEDGE.md"',
  )
  await fleet.start()
  await fleet.settled(id, 'closed')
  const { text: read } = JSON.parse(fleet.fleet('task', id, 'knowledge', '--json').stdout)
  expect(read).toContain(Buffer.from(GIVEN).toString('hex'))
})

attack(supervisor, async (options) => {
  const fleet = testFleet({ ...options, env: { MYSQL_PWD: 'hunter2secret' } })
  const look =
    'for one in /proc/[0-9]*/environ; do tr "\\0" "\\n" < "$one"; done 2>/dev/null | grep MYSQL_PWD > seen.txt || true'
  const id = fleet.create('Looks', look)
  await fleet.start()
  const { metadata } = await fleet.settled(id, 'closed')
  const seen = readFileSync(join(cwdOf(metadata), 'seen.txt'), 'utf8')
  const inNamespace = options.config?.includes('pid_namespace=off') !== true
  if (inNamespace) expect(seen).toBe('')
  else expect(seen).toContain('hunter2secret')
})

function cwdOf(metadata: Readonly<Record<string, unknown>>): string {
  return (metadata['fleet'] as { cwd: string }).cwd
}
