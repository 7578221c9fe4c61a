import { CONFIGURATION, CUSTOM_STATUSES, configurationKey } from '../../../domain/queue/bd-configuration.ts'
import { KV_PREFIX } from '../../../domain/queue/value-keys.ts'
import { nearest } from '../../../domain/text/nearest.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { commandHelp } from '../help.ts'
import { atLeast, exactly, refuse } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { setBounded } from './bounded-value.ts'

const set: BdCommand = {
  name: 'set',
  summary: 'Set a configuration value',
  usage: '<key> <value> [flags]',
  examples: [
    'fleet bd config set status.custom "in_review:wip,on_hold:frozen"',
    'fleet bd config set types.custom "incident,audit"',
  ],
  flags: [
    { name: 'force-git-tracked', kind: 'switch', help: 'Accepted; no value goes into a file of git', hidden: true },
  ],
  async run(call) {
    const [key, value] = exactly(call, 2) as [string, string]
    refuseReadonly(call, 'config set')
    check(key, value)
    await store(call, key, value)
    if (call.json) return call.answer({ key, value })
    call.print(`Set ${key} = ${plainLine(value)}`)
  },
}

const setMany: BdCommand = {
  name: 'set-many',
  summary: 'Set multiple configuration values in one operation',
  usage: '<key=value>... [flags]',
  about: 'Set several values. All are checked before any is written.',
  flags: [
    { name: 'force-git-tracked', kind: 'switch', help: 'Accepted; no value goes into a file of git', hidden: true },
  ],
  async run(call) {
    const pairs = atLeast(call, 1).map((arg): [string, string] => {
      const at = arg.indexOf('=')
      if (at <= 0) throw refuse(`invalid argument ${JSON.stringify(arg)} (expected key=value format)`)
      return [arg.slice(0, at), arg.slice(at + 1)]
    })
    refuseReadonly(call, 'config set-many')
    for (const [key, value] of pairs) check(key, value)
    for (const [key, value] of pairs) await store(call, key, value)
    if (call.json) return call.answer(pairs.map(([key, value]) => ({ key, value, location: 'database' })))
    for (const [key, value] of pairs) call.print(`Set ${key} = ${plainLine(value)}`)
  },
}

function check(key: string, value: string): void {
  if (key === 'issue_prefix' || key === 'issue-prefix') {
    throw new BdFailure("issue_prefix cannot be set via 'bd config set'", {
      json: 'text',
      hint: 'a queue keeps the prefix it was made with; nothing changes it or renames the ids that there are',
    })
  }
  const known = configurationKey(key)
  if (known === undefined) throw unknown(key)
  const problem = known.problem?.(value)
  if (problem === undefined) return
  const bd = `setting config: validation failed: invalid ${key} value: ${problem}`
  throw refuse(key === CUSTOM_STATUSES ? bd : `invalid ${key} value: ${problem}`)
}

/** bd keeps any key; here a key that nothing reads would only seem to work. */
function unknown(key: string): BdFailure {
  const near = nearest(
    key,
    CONFIGURATION.map((each) => each.name),
  )
  const meant = near.length === 0 ? '' : `did you mean ${near.join(' or ')}? `
  return new BdFailure(`${JSON.stringify(key)} configures nothing here`, {
    json: 'text',
    exitCode: 8,
    hint: `${meant}fleet bd config --help lists the keys, custom.* keeps values of your own, and fleet config is about fleet itself`,
  })
}

async function store(call: BdCall, key: string, value: string): Promise<void> {
  await setBounded(call, { what: 'value', key, value, prefix: '' })
}

const get: BdCommand = {
  name: 'get',
  summary: 'Get a configuration value',
  usage: '<key> [flags]',
  flags: [],
  reads: true,
  async run(call) {
    const [key] = exactly(call, 1) as [string]
    const value = (key.startsWith(KV_PREFIX) ? undefined : await call.store.values.get(key)) ?? ''
    if (call.json) return call.answer({ key, value })
    call.print(value === '' ? `${plainLine(key)} (not set)` : value)
  },
}

const unset: BdCommand = {
  name: 'unset',
  summary: 'Delete a configuration value',
  usage: '<key> [flags]',
  flags: [],
  async run(call) {
    const [key] = exactly(call, 1) as [string]
    refuseReadonly(call, 'config unset')
    if (key.startsWith(KV_PREFIX))
      throw refuse(`${key} is no configuration: fleet bd kv clear and fleet bd forget remove such values`)
    await call.store.values.remove(key)
    if (call.json) return call.answer({ key })
    call.print(`Unset ${plainLine(key)}`)
  },
}

async function all({ store }: BdCall): Promise<[string, string][]> {
  return [...(await store.values.list(''))].filter(([key]) => !key.startsWith(KV_PREFIX))
}

const list: BdCommand = {
  name: 'list',
  aliases: ['show'],
  summary: 'List all configuration',
  usage: '[flags]',
  flags: [],
  reads: true,
  async run(call) {
    const pairs = await all(call)
    if (call.json) return call.answer(Object.fromEntries(pairs))
    if (pairs.length === 0) return call.print('No configuration set')
    call.print('\nConfiguration:')
    for (const [key, value] of pairs) call.print(`  ${plainLine(key)} = ${plainLine(value)}`)
  },
}

const validate: BdCommand = {
  name: 'validate',
  summary: 'Validate the configuration',
  usage: '[flags]',
  about: 'Check every value that is set, for example after an import from bd. Exit 1 if one is wrong.',
  flags: [],
  reads: true,
  async run(call) {
    const issues = (await all(call)).flatMap(([key, value]) => {
      const problem = configurationKey(key)?.problem?.(value)
      return problem === undefined ? [] : [`${key}: ${problem}`]
    })
    if (call.json) call.answer({ valid: issues.length === 0, issues })
    else if (issues.length === 0) call.print('✓ All configuration is valid')
    else {
      call.print('Configuration validation found issues:')
      for (const issue of issues) call.print(`  • ${plainLine(issue)}`)
      call.print("\nRun 'bd config set <key> <value>' to fix configuration issues.")
    }
    if (issues.length > 0 && !call.json) call.fail()
  },
}

const KEYS = CONFIGURATION.map(
  ({ name, prefix, about }) => `  ${`${name}${prefix === true ? '*' : ''}`.padEnd(28)}${about}`,
)

export const config: BdCommand = {
  name: 'config',
  summary: 'Manage configuration settings',
  usage: '[command]',
  about: `Settings of the queue, shared by everybody who uses it. (fleet config is about this home.)

Keys:
${KEYS.join('\n')}

A custom status is never ready: fleet hands out what is open. Of the categories, list hides done and frozen ones.`,
  flags: [],
  subcommands: [set, setMany, get, list, unset, validate],
  refused: {},
  reads: true,
  async run(call) {
    const [sub] = call.args
    if (sub === 'apply' || sub === 'drift') {
      throw new BdFailure(`bd config ${sub} is not served by fleet`, {
        json: 'text',
        exitCode: 8,
        hint: "they compare bd's files with its server; fleet doctor checks a home",
      })
    }
    call.print(commandHelp(config, ['config']).trimEnd())
  },
}
