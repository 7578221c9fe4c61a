import { describe, expect, test } from 'vitest'
import { chooseQueue, type Wishes } from '../../src/home/choose-queue.ts'
import { Home } from '../../src/platform/files/home.ts'

const SERVER = 'postgres://me:s3cret@host/db'
const choose = (wishes: Partial<Wishes>) =>
  chooseQueue(new Home('/home/me/.fleet'), { asked: undefined, configured: undefined, own: undefined, ...wishes }, {})

describe('the queue of a home is', () => {
  test.each<[Partial<Wishes>, string, string]>([
    [{}, 'local', 'kept in fleet.db, nothing else is needed'],
    [{ asked: SERVER }, SERVER, 'as asked'],
    [{ configured: SERVER, own: 'local' }, SERVER, 'as runtime.toml says'],
    [{ configured: SERVER, own: 'beads' }, SERVER, 'as runtime.toml says'],
    [{ configured: 'beads' }, 'beads', 'as runtime.toml says'],
    [{ own: 'beads' }, 'beads', 'as it was'],
    [{ asked: 'beads', own: 'local' }, 'beads', 'as asked'],
    [{ asked: 'beads', configured: 'beads', own: 'local' }, 'beads', 'as asked'],
  ])('given %j', async (wishes, queue, why) => {
    expect(await choose(wishes)).toEqual({ queue, why })
  })
})

describe('a home keeps the queue that holds its tasks', () => {
  test.each<[Partial<Wishes>, string]>([
    [{ asked: 'local', configured: SERVER }, 'runtime.toml says that the queue is postgres://me:***@host/db'],
    [{ asked: SERVER, configured: 'local', own: 'local' }, 'runtime.toml says that the queue is local'],
    [{ configured: 'beads', own: 'local' }, 'runtime.toml says beads, but the queue of /home/me/.fleet is local'],
    [{ configured: 'local', own: 'beads' }, 'runtime.toml says local, but the queue of /home/me/.fleet is beads'],
    [{ asked: 'local', own: 'beads' }, '--queue is local, but the queue of /home/me/.fleet is beads'],
  ])('given %j', async (wishes, message) => {
    await expect(choose(wishes)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(message) })
  })
})
