import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalQueue, openLocalQueue, openRecord } from '../../src/app.ts'
import { AppError } from '../../src/errors.ts'
import { Home } from '../../src/platform/files/home.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'
import { homeTaskFiles } from '../../src/store/task-files.ts'
import { temporaryFolder } from '../support/cli.ts'

test('an edit is set aside even if the queue does not answer, and the next claim writes the file', async () => {
  const home = new Home(join(temporaryFolder(), 'home'))
  mkdirSync(home.path)
  createLocalQueue(home)
  await using queue = openLocalQueue(home)
  const { id } = await queue.create({ title: 'A task', metadata: { fleet: { coder: 'shell' } } }, 'tester')
  let answers = true
  const get: TaskStore['get'] = async (task) => {
    if (!answers) throw new AppError('queue', 'the server does not answer')
    return await queue.get(task)
  }
  const store = new Proxy<TaskStore>(queue, {
    get: (target, name) => (name === 'get' ? get : Reflect.get(target, name)),
  })
  using record = openRecord(home)
  const files = homeTaskFiles(home, { store, by: 'fleet@test', record, now: Date.now, noticed: () => {} })
  await files.takeInEdit(id)
  const path = join(home.task(id), 'task.json')
  answers = false
  await files.refuseEdit(id)
  expect(existsSync(path)).toBe(false)
  answers = true
  await files.takeInEdit(id)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id, coder: 'shell' })
})
