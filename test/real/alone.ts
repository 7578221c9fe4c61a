import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { withheldFromAgents } from '../../src/coders/withheld-variables.ts'
import type { RealCoder } from './coders/real-coder.ts'
import { desk } from './desk.ts'
import { startModel } from './model/server.ts'
import { calls, says } from './model/turns.ts'
import { ran } from './processes.ts'

/** Variables of a shell, or for non-interactive commands: they name no agent and no account. */
const ORDINARY = new Set(
  'OLDPWD PWD SHLVL SHELL _ COLORTERM COREPACK_ENABLE_AUTO_PIN DBUS_SESSION_BUS_ADDRESS DISPLAY GCM_INTERACTIVE GH_PAGER GH_PROMPT_DISABLED GIT_ASKPASS GIT_EDITOR GIT_PAGER GIT_TERMINAL_PROMPT LC_ALL LC_CTYPE NO_COLOR NoDefaultCurrentDirectoryInExePath PAGER SSH_ASKPASS npm_config_user_agent'.split(
    ' ',
  ),
)
/** Passed on as a whole: git refuses to run with only some of them. */
const SETTINGS_OF_GIT = /^GIT_CONFIG_/

/**
 * The CLI without fleet. If a scenario fails and this holds, the scripted model is not the cause. And a supervisor that is
 * started from within an agent must not pass on the variables that the agent set.
 */
export async function understandsTheModel(coder: RealCoder): Promise<void> {
  await using model = await startModel()
  using place = await desk(coder, model)
  const file = join(place.project, 'made.txt')
  const talk = model.script('Write the file', [
    calls(coder.write(file, 'made\n')),
    calls(coder.shell('env -0 > around.txt; cat made.txt && echo "and read"')),
    says('That was all.'),
  ])
  const env = { ...place.env, ...coder.env({ url: model.url, home: place.home }) }
  const { code, stdout, stderr } = await ran([coder.name, ...coder.alone('Write the file')], {
    cwd: place.project,
    env,
  })
  expect(code, stderr).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('made\n')
  expect(talk.told).toHaveLength(3)
  expect(talk.lacks(3, 'made\nand read')).toEqual([])
  expect(stdout).toContain('That was all.')
  const around = readFileSync(join(place.project, 'around.txt'), 'utf8').split('\0').slice(0, -1)
  const names = around.map((each) => each.slice(0, each.indexOf('=')))
  const added = names.filter((name) => !(name in env) && !ORDINARY.has(name) && !SETTINGS_OF_GIT.test(name))
  expect(added).not.toEqual([])
  const withholds = withheldFromAgents()
  expect(added.filter((name) => withholds(name) !== undefined)).toEqual(added)
}
