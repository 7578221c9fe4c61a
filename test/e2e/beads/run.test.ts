import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { realBd } from '../../support/real-bd.ts'
import { beadsHome } from './home.ts'

describe.skipIf(realBd === '')('a beads home', { timeout: 240_000 }, () => {
  test('runs a task and then its dependent, and bd shows both as closed; a task for another machine stays open', () => {
    const home = beadsHome()
    const create = (...argv: string[]): string => {
      const ran = home.bd(['create', ...argv, '--coder', 'shell', '--json'])
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      return JSON.parse(ran.stdout).data.id
    }
    const first = create('first', '-d', 'echo one >> order')
    const then = create('then', '-d', 'echo two >> order', '--deps', first)
    const elsewhere = create('elsewhere', '-d', 'echo never >> order', '--on', 'forge')
    expect(home.fleet(['ready']).stdout).toContain(first)
    expect(home.fleet(['ready']).stdout).not.toContain(then)

    const ran = home.fleet(['run', '--once'])
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' })
    expect(readFileSync(join(home.project, 'order'), 'utf8')).toBe('one\ntwo\n')
    const shown = JSON.parse(home.bd(['list', '--all', '--json']).stdout) as Record<string, unknown>[]
    expect(new Map(shown.map((issue) => [issue['id'], issue['status']]))).toEqual(
      new Map([
        [first, 'closed'],
        [then, 'closed'],
        [elsewhere, 'open'],
      ]),
    )
    expect(home.fleet(['show', then]).stdout).toContain('closed')
    expect(home.fleet(['show', elsewhere]).stdout).toContain('it waits for machine forge, which was never online')
    expect(home.fleet(['hosts']).stdout).toContain('not shared with other machines')
  })

  test('an agent that closes a bead only claims to be done: it frees no dependents', () => {
    const home = beadsHome()
    const other = JSON.parse(home.bd(['create', 'not for the agent', '--json']).stdout).data.id as string
    home.bd(['update', other, '--status', 'blocked'])
    const script = `"$FLEET_COMMAND" bd close ${other}; echo "closed: $?"; fleet bd comment ${other} "seen"; fleet bd close "$FLEET_TASK_ID" --reason mine`
    writeFileSync(join(home.project, 'work.sh'), script.replace('"$FLEET_COMMAND"', 'fleet'))
    const own = JSON.parse(
      home.bd(['create', 'own', '-d', 'sh work.sh; touch done', '--coder', 'shell', '--json']).stdout,
    ).data.id as string
    expect(home.fleet(['run', '--once']).code).toBe(0)
    const issues = JSON.parse(home.bd(['show', other, own, '--json', '--include-comments']).stdout) as Record<
      string,
      unknown
    >[]
    expect(issues.map(({ id, status }) => ({ id, status }))).toEqual([
      { id: other, status: 'blocked' },
      { id: own, status: 'closed' },
    ])
    expect(issues[0]).toMatchObject({ comments: [{ author: `agent:${own}`, text: 'seen' }] })
  })
})
