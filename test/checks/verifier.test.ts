import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Verification } from '../../src/ports/verifier.ts'
import { LET_GO } from '../../src/ports/verifier.ts'
import { eventually } from '../support/home-run.ts'
import { fill, smallDisk } from '../support/small-disk.ts'
import { named, SUBJECT, verifying } from '../support/verifying.ts'

const ends = (verification: Verification) =>
  'commands' in verification ? verification.commands.map(({ name, end }) => [name, end]) : []
const exited = (code: number) => ({ kind: 'exited', code })

test('a command that passes verifies a tree, in the directory of the project and with its output in a file', async () => {
  const one = await verifying()
  const verification = await one.verify([named('pwd; echo warned >&2')])
  expect(verification).toMatchObject({
    kind: 'passed',
    text: '',
    commands: [{ name: 'verify', end: exited(0), failing: '', tail: `${one.project}\nwarned`, leftovers: 0 }],
  })
  const [log] = 'commands' in verification ? verification.commands.map((each) => each.log) : []
  expect(readFileSync(log ?? '', 'utf8')).toBe(`${one.project}\nwarned\n`)
  expect(one.logged).toMatchObject([['command-verified', { run: SUBJECT, command: 'verify', end: 'exited', exit: 0 }]])
})

test('commands run in order, and the first that fails ends them', async () => {
  const { verify, project } = await verifying()
  const commands = [named('true', 'lint'), named('echo broke; exit 3', 'test'), named('touch later', 'later')]
  const verification = await verify(commands)
  expect(verification).toMatchObject({ kind: 'failed', text: 'test (echo broke; exit 3) ended with exit status 3' })
  expect(ends(verification)).toEqual([
    ['lint', exited(0)],
    ['test', exited(3)],
    ['test', exited(3)],
  ])
  expect(existsSync(join(project, 'later'))).toBe(false)
})

test('the failing part of the output is kept, without secrets', async () => {
  const { verify } = await verifying()
  const verification = await verify([named('echo "not ok 1 - adds"; seq 100; echo "password hunter2"; exit 1')])
  const [first] = 'commands' in verification ? verification.commands : []
  expect(first?.failing).toMatch(/^not ok 1 - adds\n\[\.\.\.\]\n62\n/)
  expect(first?.failing).toMatch(/100\npassword \[redacted\]$/)
  expect(first?.tail).toMatch(/^92\n.*100\npassword \[redacted\]$/s)
})

test('red then green passes, and is told as flaky', async () => {
  const { verify } = await verifying()
  const command = named('test -e seen || { touch seen; exit 1; }')
  const verification = await verify([command])
  expect(verification).toMatchObject({
    kind: 'flaky',
    text: `flaky: verify (${command.command}) failed once and passed when it was run again`,
  })
  expect(ends(verification)).toEqual([
    ['verify', exited(1)],
    ['verify', exited(0)],
  ])
})

test('without a command there is nothing to verify', async () => {
  const { verify } = await verifying()
  expect(await verify([])).toEqual({ kind: 'none' })
})

test("the task's own command replaces the project's", async () => {
  const { verify, project } = await verifying()
  expect(await verify([named('false')], { command: 'touch own' })).toMatchObject({ kind: 'passed' })
  expect(existsSync(join(project, 'own'))).toBe(true)
})

test('the command of a project runs in its directory, wherever below it the task works', async () => {
  const { verify, project } = await verifying()
  const cwd = join(project, 'packages', 'cart')
  mkdirSync(cwd, { recursive: true })
  expect(await verify([named('touch here')], { cwd, project: cwd })).toMatchObject({ kind: 'passed' })
  expect(existsSync(join(project, 'here'))).toBe(true)
})

test('the command of a folder of repositories runs in the top folder of the repository', async () => {
  const { verify, project } = await verifying()
  const repository = join(project, 'shop')
  const cwd = join(repository, 'src')
  for (const path of [cwd, join(repository, '.git', 'objects')]) mkdirSync(path, { recursive: true })
  expect(await verify([named('touch here')], { cwd, project: cwd })).toMatchObject({ kind: 'passed' })
  expect(existsSync(join(repository, 'here'))).toBe(true)
})

test('a tree elsewhere is verified in its own directory', async () => {
  const { verify, project } = await verifying()
  const [cwd, own] = [join(project, 'trees', 'a', 'cart'), join(project, 'cart')]
  for (const path of [cwd, own]) mkdirSync(path, { recursive: true })
  expect(await verify([named('touch here')], { cwd, project: own })).toMatchObject({ kind: 'passed' })
  expect(existsSync(join(project, 'trees', 'a', 'here'))).toBe(true)
})

test('a command that hangs and ignores SIGTERM is ended at its timeout, which is no verdict', async () => {
  const { verify, agents } = await verifying()
  const verification = await verify([named("trap '' TERM; echo waiting; while :; do sleep 600; done")], {
    policy: { verifyTimeout: 300 },
  })
  expect(verification).toMatchObject({ kind: 'no-verdict' })
  const timedOut = { kind: 'timed-out', afterMs: 300 }
  expect(ends(verification)).toEqual([
    ['verify', timedOut],
    ['verify', timedOut],
  ])
  expect(agents.sweep(0).get(`${SUBJECT}.verify-1`)).toBeUndefined()
})

test('a command that floods its output is stopped, and that is its own failure', async () => {
  const { verify } = await verifying()
  const verification = await verify([named('yes')], { policy: { limits: { outputBytes: 1 << 20 } } })
  expect(verification).toMatchObject({ kind: 'failed', text: 'verify (yes) printed more than 1 MB and was stopped' })
})

test('what a command leaves behind is ended, in its group and in other sessions, also if it holds its output', async () => {
  const { verify, agents } = await verifying()
  const forks = named('setsid sleep 600 & sleep 601 & sleep 0.2; echo passed')
  const verification = await verify([forks])
  expect(verification).toMatchObject({ kind: 'passed', commands: [{ leftovers: 2 }] })
  expect(agents.sweep(0).get(`${SUBJECT}.verify-1`)).toBeUndefined()
})

test('a command that kills the wrapper above it gives no verdict, and is ended', async () => {
  const { verify, agents } = await verifying()
  const verification = await verify([named('kill -9 $PPID; sleep 600')])
  expect(verification).toMatchObject({ kind: 'no-verdict' })
  expect(ends(verification)).toEqual([
    ['verify', { kind: 'lost' }],
    ['verify', { kind: 'lost' }],
  ])
  expect([1, 2].map((n) => agents.sweep(0).get(`${SUBJECT}.verify-${n}`))).toEqual([undefined, undefined])
})

test.each([
  ['nosuchprogram --all', 'nosuchprogram is not on PATH'],
  ['./check.sh', './check.sh does not exist in'],
  ['CI=1 ./plain', './plain is not executable in'],
])('a command that cannot be run needs a person: %s', async (command, why) => {
  const { verify, project } = await verifying()
  writeFileSync(join(project, 'plain'), 'true\n', { mode: 0o600 })
  const verification = await verify([named(command)])
  expect(verification).toMatchObject({ kind: 'unusable' })
  const { text } = verification as { text: string }
  expect(text).toContain(`cannot be run: ${why}`)
  expect(text).toContain(`fix projects.${JSON.stringify(project)}.verify, then fleet retry fleet-a1b`)
})

test('a script that the agent removed is its failure, and not a mistake of the user', async () => {
  const { verify } = await verifying()
  const changed = (path: string) => path.endsWith('/check.sh')
  expect(await verify([named('./check.sh')], { changed })).toMatchObject({ kind: 'failed' })
})

test('a program that the command runs and does not find is a failure like any other', async () => {
  const { verify } = await verifying()
  expect(await verify([named('true && nosuchprogram')])).toMatchObject({ kind: 'failed' })
})

test('an abort ends the command, and throws only when it is gone', async () => {
  const { verify, project, agents } = await verifying()
  const abort = new AbortController()
  const verification = verify([named("trap '' TERM; touch begun; while :; do sleep 600; done")], {
    signal: abort.signal,
  })
  await eventually(() => existsSync(join(project, 'begun')), 'it runs')
  abort.abort(new Error('killed'))
  await expect(verification).rejects.toThrow('killed')
  expect(agents.sweep(0).get(`${SUBJECT}.verify-1`)).toBeUndefined()
})

test('a command that was stopped with its supervisor is no try, however it ended', async () => {
  const one = await verifying()
  const command = named("trap 'exit 3' TERM; echo begun >>begun; until test -e go; do sleep 0.05; done")
  const abort = new AbortController()
  const first = one.verify([command], { signal: abort.signal })
  await eventually(() => existsSync(join(one.project, 'begun')), 'it runs')
  abort.abort(new Error('stopped'))
  await expect(first).rejects.toThrow('stopped')
  writeFileSync(join(one.project, 'go'), '')
  const second = await one.next().verify([command])
  expect([second.kind, ends(second)]).toEqual(['passed', [['verify', exited(0)]]])
})

test('a supervisor that dies after it has asked a command to end leaves no try', async () => {
  const one = await verifying()
  const command = named("trap 'touch asked' TERM; touch begun; until test -e go; do sleep 0.05; done; exit 3")
  const abort = new AbortController()
  const first = one.verify([command], { signal: abort.signal, policy: { limits: { grace: 60_000 } } })
  await eventually(() => existsSync(join(one.project, 'begun')), 'it runs')
  abort.abort(new Error('stopped'))
  await eventually(() => existsSync(join(one.project, 'asked')), 'it was asked')
  expect(one.ledger.verify.of(SUBJECT)).toMatchObject([{ round: 0, done: null }])
  writeFileSync(join(one.project, 'go'), '')
  await expect(first).rejects.toThrow('stopped')
})

test('a command of another line that an earlier supervisor began is ended before the new one begins', async () => {
  const one = await verifying()
  const old = named('touch begun; while :; do sleep 600; done')
  const abort = new AbortController()
  const first = one.verify([old], { signal: abort.signal })
  await eventually(() => existsSync(join(one.project, 'begun')), 'it runs')
  abort.abort(LET_GO)
  await expect(first).rejects.toBe(LET_GO)
  const second = one.next()
  expect(await second.verify([named('true')])).toMatchObject({ kind: 'passed' })
  expect(second.agents.sweep(0).get(`${SUBJECT}.verify-1`)).toBeUndefined()
})

test('a command that gave no verdict is run again when its tries are forgotten', async () => {
  const one = await verifying()
  const command = named('test -e go || kill -9 $$')
  expect(await one.verify([command])).toMatchObject({ kind: 'no-verdict' })
  writeFileSync(join(one.project, 'go'), '')
  expect(await one.verify([command])).toMatchObject({ kind: 'no-verdict' })
  one.forget()
  expect(await one.verify([command])).toMatchObject({ kind: 'passed' })
})

test('a command that runs on without its supervisor is followed by the next one, and started once', async () => {
  const one = await verifying()
  const { project } = one
  const command = named('echo start >>starts; until test -e go; do sleep 0.05; done; echo end >>starts')
  const abort = new AbortController()
  const first = one.verify([command], { signal: abort.signal })
  await eventually(() => existsSync(join(project, 'starts')), 'it runs')
  abort.abort(LET_GO)
  await expect(first).rejects.toBe(LET_GO)
  const second = one.next().verify([command])
  writeFileSync(join(project, 'go'), '')
  expect(await second).toMatchObject({ kind: 'passed', commands: [{ end: exited(0) }] })
  expect(readFileSync(join(project, 'starts'), 'utf8')).toBe('start\nend\n')
})

test('a command that ended without its supervisor is not run again', async () => {
  const one = await verifying()
  const command = named('echo start >>starts; sleep 0.2; exit 4')
  const abort = new AbortController()
  const first = one.verify([command], { signal: abort.signal })
  await eventually(() => existsSync(join(one.project, 'starts')), 'it runs')
  abort.abort(LET_GO)
  await expect(first).rejects.toBe(LET_GO)
  const exit = join(one.project, '..', 'checks', '1-verify', 'exit.json')
  await eventually(() => existsSync(exit), 'it has ended')
  expect(await one.next().verify([command])).toMatchObject({ kind: 'failed' })
  expect(readFileSync(join(one.project, 'starts'), 'utf8')).toBe('start\nstart\n')
})

test('a verdict that was reached counts for the next supervisor too', async () => {
  const one = await verifying()
  const command = named('echo start >>starts')
  await one.verify([command])
  expect(await one.next().verify([command])).toMatchObject({ kind: 'passed' })
  expect(readFileSync(join(one.project, 'starts'), 'utf8')).toBe('start\n')
})

test('a command that was recorded and never started is started by the next supervisor', async () => {
  const one = await verifying()
  const command = named('echo start >>starts')
  const folder = join(one.project, '..', 'checks', '1-verify')
  const process = {
    id: `${SUBJECT}.verify-1`,
    subject: SUBJECT,
    ...command,
    round: 1,
    folder,
    cwd: one.project,
    startedAt: Date.now(),
  }
  one.ledger.verify.begin(process)
  mkdirSync(folder, { recursive: true })
  expect(await one.verify([command])).toMatchObject({ kind: 'passed' })
  expect(readFileSync(join(one.project, 'starts'), 'utf8')).toBe('start\n')
})

test('an exit that the command wrote itself is not believed', async () => {
  const one = await verifying()
  const forge = 'printf \'{"code":0}\\n\' >"$OUT/1-verify/exit.json"; kill -9 $PPID; sleep 600'
  const OUT = join(one.project, '..', 'checks')
  const verification = await one.verify([named(`OUT=${OUT}; ${forge}`)])
  expect(ends(verification)[0]).toEqual(['verify', { kind: 'lost' }])
})

test('a command that is killed from outside gives no verdict', async () => {
  const { verify } = await verifying()
  const verification = await verify([named('kill -9 $$')])
  expect(verification).toMatchObject({ kind: 'no-verdict' })
  expect(ends(verification)).toEqual([
    ['verify', { kind: 'killed' }],
    ['verify', { kind: 'killed' }],
  ])
})

test('a full disk is no verdict: what cannot begin is tried again, and what fails on it does not count', async ({
  skip,
}) => {
  const disk = smallDisk(4)
  if (disk === undefined) return skip()
  const { verify } = await verifying({ checks: disk })
  const ballast = fill(disk, 0)
  await expect(verify([named('true')])).rejects.toThrow(/could not be started|ENOSPC|full/)
  rmSync(ballast)
  expect(await verify([named('true')])).toMatchObject({ kind: 'passed' })
  const fills = await verify([named('head -c 8000000 /dev/zero')], { subject: `${SUBJECT}-fills` })
  expect(ends(fills)[0]).toEqual(['verify', { kind: 'disk-full' }])
  expect(fills.kind).toBe('no-verdict')
})

test('a link that an agent put in the place of the folder leads nowhere', async () => {
  const one = await verifying()
  const [checks, outside] = [join(one.project, '..', 'checks'), join(one.project, '..', 'outside')]
  mkdirSync(outside)
  symlinkSync(outside, checks)
  expect(await one.verify([named('true')])).toMatchObject({ kind: 'passed' })
  expect([readdirSync(outside), lstatSync(checks).isDirectory()]).toEqual([[], true])
})
