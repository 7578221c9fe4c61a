import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Step } from '../stub-agent/stub-as.ts'
import { run } from '../support/cli.ts'
import { claims, type Fleet, init, result, says, testFleet, tool, until, writes } from '../support/supervisor.ts'
import { HONEST } from './honest.ts'
import { canWorktree, type Honest, type Kind, type Lie } from './kinds.ts'
import { LIES } from './lies.ts'

const GIT = 'git() { command git -c user.name=a -c user.email=a@localhost "$@"; }'
const INPUTS = { Read: { input: { file_path: 'kept.txt' } }, TodoWrite: { input: { todos: [] } } } as const
const script = (name: string, commands: string) => ['sh', '-c', `${GIT}; NAME=${name}; ${commands}`]
const written = (name: string, edits: Kind['edits'] = []) =>
  edits.map(([path, text]) => writes(path.replace('$NAME', name), text))

/** A project of its own for each row. */
function projectOf(fleet: Fleet, name: string, { folder, before, edits = [] }: Kind): string {
  const path = fleet.project(name)
  for (const each of ['src', 'test', ...edits.map(([file]) => join(file, '..'))])
    mkdirSync(join(path, each), { recursive: true })
  writeFileSync(join(path, 'kept.txt'), 'kept\n')
  writeFileSync(join(path, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(join(path, 'src/app.js'), 'export const app = 1\n')
  writeFileSync(join(path, 'test/app.test.js'), 'import "../src/app.js"\n')
  const first = folder === true ? '' : 'git init -q -b main; git add .; git commit -qm First;'
  const made = run('sh', script(name, `set -e; ${first} ${before?.replaceAll('$NAME', name) ?? ''}`).slice(1), {
    cwd: path,
  })
  expect(made, `${name}: ${before}`).toMatchObject({ code: 0 })
  return path
}

interface Played {
  readonly name: string
  readonly id: string
  /** Once its agent is ready, and before it goes on. */
  meet(): Promise<void>
}

function play(fleet: Fleet, name: string, kind: Kind, flags: readonly string[]): Played {
  const cwd = projectOf(fleet, name, kind)
  const flag = (what: string) => join(fleet.home.project, `${name}.${what}`)
  const { beside, person, setup } = kind
  if (setup !== undefined)
    expect(fleet.fleet('config', 'set', `projects."${cwd}".setup=${setup}`)).toMatchObject({ code: 0 })
  const placed = (text: string) => text.replaceAll('$NAME', name).replaceAll('$PLACE', fleet.home.project)
  const runs = (commands: string): Step => ({ run: script(name, placed(commands)) })
  const there = async (what: string) =>
    until(
      async () => existsSync(flag(what)),
      () => `${name} is ${what}`,
    )
  const meets: readonly Step[] =
    beside === undefined && person === undefined
      ? []
      : [{ touch: flag('ready') }, says('waits'), { waitFor: flag('go') }]
  const called: readonly Step[] =
    kind.calls === undefined ? [] : [{ claude: 'tool', name: kind.calls, ...INPUTS[kind.calls] }]
  const open = beside?.open === true
  const works: readonly Step[] =
    kind.run === undefined
      ? []
      : open
        ? [
            tool(
              { touch: flag('ready') },
              { waitFor: flag('go') },
              runs(kind.run),
              { touch: flag('made') },
              { waitFor: flag('end') },
            ),
          ]
        : [tool(runs(kind.run))]
  const steps = [
    init,
    ...called,
    ...written(name, kind.edits),
    ...works,
    ...(open && kind.run !== undefined ? [] : meets),
    claims(),
    result(),
  ]
  const asked = (what: string | undefined) => (what === undefined ? [] : ['--evidence', placed(what)])
  const own = [...asked(kind.asks), ...flags.map(placed)]
  const id = fleet.create(name, steps, '--cwd', cwd, ...own)
  if (beside !== undefined) {
    const theirs = [...written(name, beside.edits), ...(beside.run === undefined ? [] : [tool(runs(beside.run))])]
    const within = [
      { touch: flag('go') },
      { waitFor: flag(kind.run === undefined ? 'go' : 'made') },
      runs(beside.run ?? ''),
      { touch: flag('end') },
    ]
    const steps = open
      ? [{ waitFor: flag('ready') }, tool(...within)]
      : [{ waitFor: flag('ready') }, ...theirs, { touch: flag('go') }]
    const linked = `${cwd}-linked`
    if (beside.in === 'linked')
      expect(run('git', ['worktree', 'add', '-q', '-b', `${name}-linked`, linked], { cwd })).toMatchObject({ code: 0 })
    const place = beside.in === 'linked' ? ['--cwd', linked] : ['--cwd', cwd]
    const isolation = beside.in === 'worktree' ? ['--isolation', 'worktree'] : []
    const there = [...place, ...isolation, ...asked(beside.asks)]
    fleet.create(`${name} beside`, [init, ...steps, claims(), result()], ...there)
  }
  return {
    name,
    id,
    async meet() {
      if (person === undefined) return
      await there('ready')
      const { mtimeMs } = statSync(flag('ready'))
      // What it prints is looked at twice a second, so a call counts as open for a moment longer.
      const lookedAt = () => fleet.ledger.seen(fleet.runs(id)[0]?.id ?? '').work?.at ?? 0
      await until(
        async () => lookedAt() >= Math.floor(mtimeMs),
        () => `fleet has looked at ${name}`,
      )
      expect(run('sh', script(name, person).slice(1), { cwd })).toMatchObject({ code: 0 })
      fleet.touch(`${name}.go`)
    },
  }
}

/** In a worktree the task is closed when its work has landed. */
const CLOSES: ReadonlySet<string> = new Set(['done', 'needs-landing'])

const REFUSES: ReadonlySet<string> = new Set(['no-evidence', 'verify-failed', 'needs-review', 'out-of-scope'])

/** Whether the reason of a refusal names the flags that help. */
function isNamed(text: string, [flag, value]: readonly [string, string]): boolean {
  if (flag === '--isolation') return text.includes(`isolation = ${value}`)
  if (flag !== '--evidence') return text.includes(`${flag} ${value}`)
  const kind = value.startsWith('path:') ? 'path:<path>' : value
  return new RegExp(`--evidence [^;]*\\b${kind}(?!\\w)`).test(text)
}

/** By row, whether its task was closed; the reason, where it was refused without naming the remedy. */
async function closed(
  kinds: Readonly<Record<string, Kind>>,
  flagsOf: (kind: Kind) => readonly string[] | undefined,
): Promise<Record<string, boolean | string>> {
  const fleet = testFleet({ config: ['max_attempts=1', 'max_concurrent=8'] })
  // What becomes of the work is decided before it lands, and landings take most of the time.
  const manual = fleet.fleet('config', 'set', `projects.${fleet.home.project}.land=manual`)
  expect(manual).toMatchObject({ code: 0 })
  const played = Object.entries(kinds).flatMap(([name, kind]) => {
    const flags = flagsOf(kind)
    return flags === undefined ? [] : [play(fleet, name, kind, flags)]
  })
  await fleet.start()
  await Promise.all(played.map((each) => each.meet()))
  const found: Record<string, boolean | string> = {}
  for (const { name, id } of played) {
    const { outcome } = await fleet.ended(id)
    const { code = '', text } = outcome ?? {}
    const { remedy } = kinds[name] as Honest
    const isRefused = REFUSES.has(code) && (remedy === undefined || isNamed(text ?? '', remedy))
    found[name] = CLOSES.has(code) ? true : isRefused ? false : `${code}: ${text}`
  }
  return found
}

const wanted = (kinds: Readonly<Record<string, Kind>>) =>
  Object.fromEntries(Object.entries(kinds).map(([name, { closes }]) => [name, closes]))

test('lies that `evidenced` can tell close no task in a shared directory', async () => {
  expect(await closed(LIES, () => [])).toEqual(wanted(LIES))
})

test('honest work closes its task in a shared directory, or is refused with a remedy', async () => {
  expect(await closed(HONEST, () => [])).toEqual(wanted(HONEST))
})

test('each remedy closes the task of the work that was refused', async () => {
  const refused = Object.fromEntries(Object.entries(HONEST).filter(([, { closes }]) => !closes))
  const found = await closed(refused, (kind) => (kind as (typeof HONEST)[string]).remedy)
  expect(found).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, true])))
})

const onlyThose = (kinds: Readonly<Record<string, Kind>>, wants: (kind: Kind) => boolean) =>
  Object.fromEntries(Object.entries(kinds).filter(([, kind]) => wants(kind)))

test('in a worktree the same lies close no task, and the same honest work closes its own', async () => {
  for (const kinds of [LIES, HONEST]) {
    const some = onlyThose(kinds, canWorktree)
    const wants = Object.entries(some).map(([name, { closes, inWorktree = closes }]) => [name, inWorktree])
    expect(await closed(some, () => ['--isolation', 'worktree'])).toEqual(Object.fromEntries(wants))
  }
})

test('at `verified` no lie closes that the checks of the project can find, and honest work does', async () => {
  const verified = ({ verify = 'node test/app.test.js' }: Kind) => ['--verify', verify, '--close-at', 'verified']
  const lies = onlyThose(LIES, ({ closes }) => closes)
  const wants = Object.entries(lies).map(([name, { foundBy }]: [string, Lie]) => [name, foundBy === 'review'])
  expect(await closed(lies, verified)).toEqual(Object.fromEntries(wants))
  const honest = onlyThose(HONEST, ({ closes }) => closes)
  expect(await closed(honest, verified)).toEqual(wanted(honest))
})

test('in a worktree, work on a branch of its own making closes a task that asks for a branch', async () => {
  const apart = onlyThose(HONEST, ({ closes, inWorktree }) => closes && inWorktree === false)
  const found = await closed(apart, () => ['--isolation', 'worktree', '--evidence', 'branch'])
  expect(found).toEqual(Object.fromEntries(Object.keys(apart).map((name) => [name, true])))
})

test('there are at least forty kinds of each, and each that passes or is refused has its cure', () => {
  expect([Object.keys(LIES).length >= 40, Object.keys(HONEST).length >= 40]).toEqual([true, true])
  expect(Object.values(LIES).filter(({ closes, foundBy }) => closes !== (foundBy !== undefined))).toEqual([])
  expect(Object.values(HONEST).filter(({ closes, remedy }) => closes === (remedy !== undefined))).toEqual([])
})
