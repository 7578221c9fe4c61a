import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { processEntry } from '../../../src/platform/process/process-table.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

const HOOKS: Readonly<Record<string, string>> = {
  'post-merge': '',
  'reference-transaction': '[ "$1" = prepared ] && grep -q refs/heads/main || exit 0',
}

test.each(Object.keys(HOOKS))(
  'a stop ends a %s that hangs, and the next supervisor lands the work, once',
  async (name) => {
    const it = await landingWorld(async () => ({ kind: 'passed', text: '', commands: [] }))
    const [held, go] = ['held', 'go'].map((file) => join(dirname(it.repository), file)) as [string, string]
    const hook = `#!/bin/sh\n${HOOKS[name]}\necho $$ >'${held}'\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\n`
    writeFileSync(join(it.repository, '.git/hooks', name), hook, { mode: 0o755 })
    const one = it.supervisor()
    await one.start()
    await eventually(() => existsSync(held) && readFileSync(held, 'utf8').endsWith('\n'), 'the hook runs')
    one.stop({ by: 'anna' })
    await one.finished
    const pid = Number(readFileSync(held, 'utf8'))
    await eventually(() => processEntry(pid)?.alive !== true, 'the hook is ended')
    expect(existsSync(join(it.repository, '.git/refs/heads/main.lock'))).toBe(false)
    writeFileSync(go, '')
    await it.supervisor().start()
    await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
    expect([it.subjects(), it.git('status', '--porcelain')]).toEqual([['Work', 'First'], ''])
  },
)
