import { changeSettings } from '../../actions/change-settings.ts'
import { AppError } from '../../errors.ts'
import { changeWarning, configurationText, settingInForce, settingsInForce } from '../../views/configuration.ts'
import { configurationTextJson, settingJson, settingsJson } from '../../views/json/configuration.ts'
import type { Command } from '../command.ts'
import { changeLine, settingLines, valueText } from '../render/config.ts'
import { accept, revert } from './config-decide.ts'

const show: Command = {
  name: 'show',
  summary: 'every setting in force, and where it comes from',
  usage: '[--raw] [--json]',
  about: 'Every setting in force: (given) stands in runtime.toml, (default) does not. Passwords are masked.',
  flags: [
    { name: 'raw', kind: 'switch', help: 'the file as it is, passwords masked' },
    { name: 'json', kind: 'switch', help: 'one JSON document: path, and settings with key, value and source' },
  ],
  async run({ home, flags, args, print, warn, answer }) {
    if (args.length > 0)
      throw new AppError('usage', `fleet config show takes no arguments, got ${JSON.stringify(args[0])}`)
    const waiting = changeWarning(home)
    if (waiting !== undefined) warn(waiting)
    if (flags.on('raw')) {
      const file = configurationText(home)
      return flags.on('json') ? answer(configurationTextJson(file)) : print(file.text.replace(/\n$/, ''))
    }
    const inForce = await settingsInForce(home)
    if (inForce.warning !== undefined) warn(inForce.warning)
    if (flags.on('json')) return answer(settingsJson(inForce))
    for (const line of settingLines(inForce.settings)) print(line)
  },
}

const get: Command = {
  name: 'get',
  summary: 'the value of one setting in force',
  usage: '<key> [--json]',
  about: `The value in force of one setting, as runtime.toml would say it; a string without its quotes, nothing if it has no
value. Of a table (timeouts) every setting. Passwords are masked.`,
  examples: ['fleet config get max_concurrent', 'fleet config get timeouts', `fleet config get 'coders.mine.command'`],
  flags: [{ name: 'json', kind: 'switch', help: 'one JSON document: key, value and source; of a table: settings' }],
  async run({ home, flags, args, print, answer }) {
    const [key, more] = args
    if (key === undefined || more !== undefined)
      throw new AppError('usage', 'fleet config get takes one key', { hint: 'fleet config show lists all settings' })
    const found = await settingInForce(home, key)
    const [only] = found.settings
    if (found.isTable || only === undefined) {
      if (flags.on('json')) return answer(settingsJson(found))
      for (const line of settingLines(found.settings)) print(line)
    } else if (flags.on('json')) answer(settingJson(only))
    else if (only.value !== undefined) print(valueText(only.value))
  },
}

const set: Command = {
  name: 'set',
  summary: 'change settings; all of them or none',
  usage: '<key>=<value>...',
  about: `Changes runtime.toml: all of the given settings or none. Comments and layout stay as they are.
Strings may be bare words, lists are TOML, an empty value removes a setting from the file.
coder=X without model= also sets the model to X's default.`,
  examples: [
    'fleet config set max_concurrent=5 timeouts.idle=5m',
    'fleet config set coder=codex',
    `fleet config set 'projects."/home/me/project".coder=codex'`,
    `fleet config set 'coders.mine.command=["my-agent", "{prompt_file}"]'`,
  ],
  flags: [],
  async run({ home, args, print }) {
    if (args.length === 0)
      throw new AppError('usage', 'fleet config set needs key=value', {
        hint: 'for example: fleet config set max_concurrent=5',
      })
    const { changes, notes } = await changeSettings({ home, settings: args })
    for (const change of changes) print(changeLine(change))
    for (const note of notes) print(note)
    if (changes.length === 0) print('Nothing to change.')
  },
}

export const config: Command = {
  name: 'config',
  summary: 'print or change runtime.toml',
  usage: 'show|get|set|accept|revert',
  flags: [],
  subcommands: [show, get, set, accept, revert],
  async run({ args }) {
    const what =
      args[0] === undefined
        ? 'fleet config needs show, get, set, accept or revert'
        : `unknown command ${JSON.stringify(`config ${args[0]}`)}`
    throw new AppError('usage', what, { hint: 'fleet config --help explains them' })
  },
}
