import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { check, type Raw } from '../../src/config/check.ts'
import { loadConfig } from '../../src/config/load.ts'
import { temporaryFolder } from '../support/cli.ts'

function problemsOf(block: Raw, name = 'mine', files: readonly string[] = []): readonly string[] {
  const checked = check({ coders: { [name]: block } }, files)
  return 'config' in checked ? [] : checked.problems.map(({ key, what }) => `${key.join('.')} ${what}`)
}

test.each<{ what: string; block: Raw; name?: string; problems: readonly string[] }>([
  { what: 'a program and its words', block: { command: ['my-agent', '{prompt_file}'] }, problems: [] },
  { what: 'braces of somebody else', block: { command: ['x', '{print $1}', '{"a":{"b":1}}'] }, problems: [] },
  {
    what: 'no command',
    block: { format: 'claude' },
    problems: ['coders.mine has no command, expected the program and its arguments'],
  },
  { what: 'no command of a known coder', block: { context_window: 5000 }, name: 'codex', problems: [] },
  {
    what: 'a program that is nowhere',
    block: { command: ['~/bin/x'] },
    problems: ['coders.mine.command begins with "~/bin/x", expected a program on PATH or an absolute path'],
  },
  {
    what: 'a program to be filled in',
    block: { command: ['{model}'] },
    problems: ['coders.mine.command begins with "{model}", expected a program on PATH or an absolute path'],
  },
  {
    what: 'a slip in a placeholder',
    block: { command: ['x', '--file={promt_file}'] },
    problems: ['coders.mine.command has {promt_file}, did you mean {prompt_file}?'],
  },
  {
    what: 'a session that nobody tells',
    block: { command: ['x'], resume: ['x', '{session}'] },
    problems: ['coders.mine.resume is of no use where the format is text: no session is ever told'],
  },
  {
    what: 'a resume without its session',
    block: { command: ['x'], format: 'claude', resume: ['x', '--continue'] },
    problems: ['coders.mine.resume has no {session}, expected it where the session id belongs'],
  },
  {
    what: 'two programs',
    block: { command: ['x'], format: 'claude', resume: ['y', '{session}'] },
    problems: ['coders.mine.resume begins with "y", expected x as in its command'],
  },
  {
    what: 'another program than the known one',
    block: { resume: ['y', '{session}'] },
    name: 'claude',
    problems: ['coders.claude.resume begins with "y", expected claude as in its command'],
  },
  {
    what: 'a resume of scripts, which have none',
    block: { resume: ['y', '{session}'] },
    name: 'shell',
    problems: ['coders.shell.resume begins with "y", expected shell as in its command'],
  },
  {
    what: 'a name that cannot be one',
    block: { command: ['x'] },
    name: 'a/b',
    problems: ['coders.a/b is not a name, expected letters, digits, - and _'],
  },
])('a block with $what', ({ block, name, problems }) => {
  expect(problemsOf(block, name)).toEqual(problems)
})

test('a coder defined by a file needs no command and sets its own format', () => {
  expect(problemsOf({ model: 'm', resume: ['x', '{session}'] }, 'mine', ['mine'])).toEqual([])
})

test('the configuration may name coders from files beside it', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'runtime.toml')
  mkdirSync(join(folder, 'coders'))
  const names = ['one.mjs', 'two.js', 'one.js', 'claude.mjs', 'notes.md', '.hidden.mjs', 'a b.mjs']
  for (const name of names) writeFileSync(join(folder, 'coders', name), '')
  writeFileSync(path, 'coder = "two"\n[coders.three]\ncommand = ["x"]\n')
  const { config, coderNames } = await loadConfig(path)
  expect({ coder: config.coder, model: config.model, coderNames }).toEqual({
    coder: 'two',
    model: undefined,
    coderNames: ['claude', 'codex', 'agy', 'opencode', 'gemini', 'shell', 'three', 'one', 'two'],
  })
})
