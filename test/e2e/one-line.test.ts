import { expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'

/** Printed raw, this text would look like a line from fleet. */
const forged = (what: string) => `${what}\nfleet-zzz forged\r\u001b[2K${what}`

test('a line break in a title, label or name never starts a new line of output', () => {
  const home = testHome()
  const edge = (on: string) => ({ issue_id: 'fleet-aaa', depends_on_id: on, type: 'blocks' })
  const tasks = [
    { id: 'fleet-aaa', title: forged('a'), labels: [forged('l')], dependencies: [edge('fleet-bbb')] },
    {
      id: 'fleet-bbb',
      title: forged('b'),
      description: 'see fleet-aaa',
      assignee: forged('me'),
      status: 'in_progress',
    },
    { id: 'fleet-ccc', title: forged('c') },
  ]
  const input = tasks.map((task) => JSON.stringify(task)).join('\n')
  expect(home.bd(['import', '-'], { input })).toMatchObject({ code: 0 })
  const commands = [
    ['bd', 'create', forged('d')],
    ['bd', 'create', forged('d'), '--dry-run', '-a', forged('me'), '-l', forged('l')],
    ['bd', 'update', 'fleet-aaa', '-p', '1'],
    ['bd', 'update', 'fleet-bbb', '--claim'],
    ['bd', 'update', 'fleet-bbb', '-a', 'other'],
    ['bd', 'dep', 'add', 'fleet-aaa', 'fleet-ccc'],
    ['bd', 'dep', 'tree', 'fleet-aaa'],
    ['bd', 'dep', 'tree', 'fleet-aaa', '--format', 'mermaid'],
    ['bd', 'dep', 'list', 'fleet-aaa'],
    ['bd', 'dep', 'remove', 'fleet-aaa', 'fleet-ccc'],
    ['bd', 'label', 'list', 'fleet-aaa'],
    ['bd', 'label', 'list-all'],
    ['bd', 'label', 'add', 'fleet-ccc', forged('x')],
    ['bd', 'label', 'remove', 'fleet-ccc', forged('x')],
    ['bd', 'count', '--by-label'],
    ['bd', 'count', '--by-assignee'],
    ['bd', 'comment', 'fleet-aaa', 'text'],
    ['bd', 'comments', 'add', 'fleet-ccc', 'text', '--actor', forged('me')],
    ['bd', 'comments', 'fleet-ccc'],
    ['bd', 'delete', 'fleet-aaa'],
    ['bd', 'delete', 'fleet-aaa', 'fleet-ccc'],
    ['bd', 'ready'],
    ['bd', 'list'],
    ['bd', 'blocked'],
    ['ready'],
    ['show', 'fleet-aaa'],
    ['bd', 'close', 'fleet-ccc'],
    ['bd', 'reopen', 'fleet-ccc', '--reason', forged('why')],
  ]
  for (const command of commands) {
    const { stdout, stderr } = home.fleet(command)
    expect(`${stdout}${stderr}`, command.join(' ')).not.toBe('')
    expect(`${stdout}${stderr}`, command.join(' ')).not.toMatch(/^fleet-zzz forged/m)
  }
})
