import { describe, expect, test } from 'vitest'
import type { BdCommand } from '../../src/cli/bd/command.ts'
import { GLOBAL_FLAGS } from '../../src/cli/bd/global-flags.ts'
import { NOT_SERVED } from '../../src/cli/bd/not-served.ts'
import { COMMANDS } from '../../src/cli/bd/registry.ts'
import { run } from '../support/cli.ts'
import { bdBinary } from './bd.ts'

const commands = await Promise.all(COMMANDS.map((each) => each.load()))

describe.skipIf(bdBinary === '')('compared with bd’s own help', () => {
  test.each(commands.flatMap((command) => paths(command)))(
    'every flag of bd $path is served or refused with a reason',
    ({ path, command }) => {
      const known = new Set([...command.flags, ...GLOBAL_FLAGS].flatMap((flag) => [flag.name, ...(flag.aliases ?? [])]))
      for (const name of Object.keys(command.refused ?? {})) known.add(name)
      expect(flagsInHelp(path).filter((name) => !known.has(name))).toEqual([])
    },
  )

  test('every command of bd is served, or refused with what to do instead', () => {
    const known = new Set([
      ...commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]),
      ...NOT_SERVED.keys(),
      'help',
    ])
    const help = run(bdBinary, ['--help']).stdout
    const named = [...help.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S/gm)].map((match) => match[1] as string)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })
})

function paths(command: BdCommand, above: readonly string[] = []): { path: string; command: BdCommand }[] {
  const path = [...above, command.name]
  return [{ path: path.join(' '), command }, ...(command.subcommands ?? []).flatMap((sub) => paths(sub, path))]
}

function flagsInHelp(path: string): string[] {
  const help = run(bdBinary, [...path.split(' '), '--help']).stdout
  const own = help.slice(
    help.indexOf('\nFlags:'),
    help.includes('\nGlobal Flags:') ? help.indexOf('\nGlobal Flags:') : undefined,
  )
  return [...own.matchAll(/^ +(?:-\w, )?--([a-z][a-z-]+)/gm)].map((match) => match[1] as string)
}
