import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { calls, says } from './model/turns.ts'
import type { Scenario } from './scenarios.ts'

export const LEAVES_SCOPE: Scenario = {
  title: 'a call that leaves the scope of its task is refused before it happens, and so is one that nobody can judge',
  holdsFor: ({ hooks }) => hooks !== undefined,
  async play(fleet) {
    const { coder, project } = fleet
    const at = (name: string) => join(project, name)
    const rest = [
      calls(coder.write(at('inside.txt'), 'made\n')),
      calls(coder.shell('fleet done "Wrote it"')),
      says('Done.'),
    ]
    const leaves = [coder.write(at('outside.txt'), 'x\n'), coder.shell(`echo x > '${project}-beside.txt'`)]
    const { id, talk } = await fleet.create('Keep to it', [...leaves.map((call) => calls(call)), ...rest])
    // No line of a shell tells what this does.
    const breaks = `node -e 'const f = process.env.FLEET_HOOKS, fs = require("fs"); fs.rmSync(f, { recursive: true }); fs.writeFileSync(f, "")'`
    const turns = [calls(coder.shell(breaks)), calls(coder.write(at('unjudged.txt'), 'x\n')), says('I cannot go on.')]
    const broken = await fleet.create('Break the hooks', turns)
    await fleet.fleet('bd', 'update', id, broken.id, '--scope', 'inside.txt,unjudged.txt')
    await fleet.fleet('config', 'set', 'max_attempts=1')
    fleet.start()
    await fleet.settled(id, 'closed')
    await fleet.settled(broken.id, 'blocked')
    const made = [at('outside.txt'), `${project}-beside.txt`, at('unjudged.txt'), at('inside.txt')]
    expect(made.map((path) => existsSync(path))).toEqual([false, false, false, true])
    expect(fleet.receipt(id)).toMatchObject({ scope: { outside_count: 0, refused: { count: 2 } } })
    expect(talk.lacks(2, 'this task may change only inside.txt')).toEqual([])
    expect(broken.talk.lacks(3, 'fleet could not judge this call')).toEqual([])
  },
}
