import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Ran, run, temporaryFolder } from '../support/cli.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** The one file of the new folder that everything else follows from. */
const DESCRIPTOR = `import type { CoderDescriptor } from '../descriptor.ts'

export const parrotDescriptor: CoderDescriptor = {
  name: 'parrot',
  program: 'parrot',
  defaultModel: 'grey',
  contextWindow: 4000,
  variables: { families: ['PARROT'] },
  asRoot: 'squawks as root',
  load: async () => (await import('./coder.ts')).parrot,
  login: async () => (await import('./login.ts')).parrotAccount,
  knowledge: {
    proven: false,
    events: 'text',
    limits: 'never reached',
    window: 'never reported',
    resume: 'no',
    kill: 'SIGTERM ends it',
    untried: ['whether it understands'],
  },
}
`

const CODER = `import type { Coder } from '../../ports/coder.ts'
import { textEvents, textVerdict } from '../shared/text.ts'
import { parrotDescriptor } from './descriptor.ts'

const { name, contextWindow, defaultModel } = parrotDescriptor

export const parrot: Coder = {
  name,
  binary: 'parrot',
  traits: { claim: 'exit', evidence: 'work', resume: false, stream: 'text', contextWindow, defaultModel },
  launch: ({ model }) => ({ args: ['repeat', model ?? ''], stdin: 'prompt', env: {} }),
  parse: textEvents,
  verdict: (exit, _digest, stderrTail) => textVerdict(exit, stderrTail),
}
`

const LOGIN = `import type { LoginRule } from '../shared/login.ts'

export const parrotAccount: LoginRule = {
  find: (given) => (given['PARROT_CAGE'] === undefined ? undefined : { kind: 'variable', name: 'PARROT_CAGE' }),
  deciding: (names) => names.filter((name) => name === 'PARROT_CAGE'),
  usual: 'PARROT_CAGE',
}
`

const PROGRAM = `#!/bin/sh
if [ "$1" = --version ]; then echo 'parrot 1.2.3'; exit; fi
cat >/dev/null
echo "$2 cage=$PARROT_CAGE seed=$SEED" >said.txt
`

/** fleet's sources with one coder more: a folder, and a line in the registry with its import. */
async function fleetWithParrot(folder: string): Promise<string> {
  for (const each of ['src', 'scripts', 'package.json'])
    cpSync(join(ROOT, each), join(folder, each), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const coders = join(folder, 'src/coders')
  mkdirSync(join(coders, 'parrot'))
  writeFileSync(join(coders, 'parrot/descriptor.ts'), DESCRIPTOR)
  writeFileSync(join(coders, 'parrot/coder.ts'), CODER)
  writeFileSync(join(coders, 'parrot/login.ts'), LOGIN)
  const registry = readFileSync(join(coders, 'registry.ts'), 'utf8')
  const more = registry.replace('  shellDescriptor,\n', '  shellDescriptor,\n  parrotDescriptor,\n')
  expect(more).not.toBe(registry)
  writeFileSync(join(coders, 'registry.ts'), `import { parrotDescriptor } from './parrot/descriptor.ts'\n${more}`)
  await promisify(execFile)(process.execPath, [join(folder, 'scripts/build.mjs')], { cwd: folder })
  return join(folder, 'dist/fleet.cjs')
}

test('a folder and a line in the registry add a coder, and everything that names coders knows it', async () => {
  const folder = temporaryFolder()
  const program = await fleetWithParrot(folder)
  const [home, project, bin] = ['home', 'project', 'bin'].map((name) => join(folder, name)) as [string, string, string]
  for (const path of [project, bin]) mkdirSync(path)
  writeFileSync(join(bin, 'parrot'), PROGRAM, { mode: 0o755 })
  const env = { FLEET_HOME: home, PATH: `${bin}:${process.env['PATH']}`, PARROT_CAGE: 'gold', SEED: 'corn' }
  const fleet = (...argv: string[]): Ran => run(process.execPath, [program, ...argv], { cwd: project, env })
  const said = (...argv: string[]): string => {
    const { code, stdout, stderr } = fleet(...argv)
    expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: '' })
    return stdout
  }
  said('init', '--queue', 'local')

  // Help, the names in messages, and the check of runtime.toml.
  expect(said('bd', 'create', '--help')).toContain('gemini, shell, parrot)')
  expect(said('demo', '--help')).toContain('gemini, shell, parrot')
  expect(fleet('bd', 'create', 'x', '--coder', 'parot')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/known coders: .*shell, parrot\n.*did you mean parrot\?/),
  })
  expect(said('config', 'set', 'coder=parrot')).toContain('model: grey, the default of parrot')
  said('config', 'set', 'coders.other.command=["other"]', 'coders.other.format=parrot')

  // doctor: the program, the login, root, and the variables that agents do not inherit.
  const { checks } = JSON.parse(fleet('doctor', '--json').stdout) as { checks: { name: string; found: string }[] }
  const found = (name: string) => checks.find((check) => check.name === name)?.found
  expect(found('coder parrot')).toBe(`1.2.3 (${bin}/parrot); fleet knows it from what others wrote, untried`)
  expect(found('parrot login')).toContain('set here but withheld from agents: PARROT_CAGE')
  expect(found('environment')).toContain('PARROT_CAGE')
  if (process.getuid?.() === 0) expect(found('unattended')).toContain('; parrot squawks as root')

  // A task runs on it, with its default model and without the withheld variable.
  const id = said('bd', 'create', 'Repeat', '--coder', 'parrot', '--silent').trim()
  said('run', '--once', '--quiet')
  expect(JSON.parse(said('bd', 'show', id, '--json'))[0]).toMatchObject({ status: 'closed' })
  expect(readFileSync(join(project, 'said.txt'), 'utf8')).toBe('grey cage= seed=corn\n')

  // The reference page.
  cpSync(join(ROOT, 'test/docs/coders-reference.ts'), join(folder, 'test/docs/coders-reference.ts'))
  const { codersReference } = await import(join(folder, 'test/docs/coders-reference.ts'))
  expect(codersReference()).toContain(
    '| `parrot` | **not tried** | text | never reached | never reported; else 4k | grey |',
  )
  expect(codersReference()).toContain('## Not tried of parrot\n\n- whether it understands')
})
