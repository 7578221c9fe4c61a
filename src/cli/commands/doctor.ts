import { examine } from '../../doctor/examine.ts'
import { restoreStore } from '../../doctor/restore.ts'
import { AppError } from '../../errors.ts'
import { checksJson, restorationJson } from '../../views/json/doctor.ts'
import type { Command } from '../command.ts'
import { checkLines, restoredLines } from '../render/doctor.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the machine and the home, and say what to do',
  usage: '[--json] [--restore [backup]]',
  about: `Checks what fleet depends on and says what to do about each finding; changes nothing. Exit 1 if a check failed.
With --restore a store that is damaged, missing or without any task is replaced by a backup, the newest good one unless
another is named. The files that were there are kept beside it.`,
  examples: ['fleet doctor', 'fleet doctor --restore', 'fleet doctor --restore fleet-20261130T142501.123Z.db'],
  flags: [
    { name: 'json', kind: 'switch', help: 'one JSON document: home, ok, and checks with name, state, found and todo' },
    { name: 'restore', kind: 'switch', help: 'replace a damaged, missing or empty store by a backup' },
  ],
  async run({ home, flags, args, env, print, answer }) {
    const [backup, more] = args
    if (more !== undefined || (backup !== undefined && !flags.on('restore'))) {
      throw new AppError('usage', `fleet doctor does not take ${JSON.stringify(more ?? backup)}`, {
        hint: 'fleet doctor --help',
      })
    }
    if (flags.on('restore')) {
      const restored = await restoreStore(home, backup)
      if (flags.on('json')) return void answer(restorationJson(restored))
      for (const line of restoredLines(restored)) print(line)
      return 0
    }
    const checks = await examine(home, env)
    const ok = checks.every((check) => check.state !== 'fail')
    if (flags.on('json')) answer(checksJson({ home: home.path, checks }))
    else for (const line of checkLines(checks)) print(line)
    return ok ? 0 : 1
  },
}
