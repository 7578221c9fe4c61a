import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { INSTALLED } from './coders/registry.ts'
import { desk } from './desk.ts'
import { startModel } from './model/server.ts'
import { calls, says } from './model/turns.ts'
import { ran } from './processes.ts'

/** If a scenario fails and these tests pass, the scripted model is not the cause. */
for (const coder of INSTALLED) {
  test.concurrent(`${coder.name} alone understands the scripted model, and the model understands it`, async () => {
    await using model = await startModel()
    using place = await desk(coder, model)
    const file = join(place.project, 'made.txt')
    const talk = model.script('Write the file', [
      calls(coder.write(file, 'made\n')),
      calls(coder.shell('cat made.txt && echo "and read"')),
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
  })
}
