import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Worktree } from '../../src/domain/run/worktree.ts'
import type { Worktrees } from '../../src/ports/worktrees.ts'
import { type RetiredWorktrees, retireWorktrees } from '../../src/store/retired-worktrees.ts'
import { newRun, testLedger } from '../support/test-ledger.ts'
import { git, inRepository, put, repositoryWithHome } from '../support/worktree.ts'

const task = 'fleet-a1b'

/** A closed task with a worktree. `gc` may be interrupted: each of `how` stands in for a part of the workspace. */
async function closedTask() {
  const { ledger } = testLedger()
  const repository = repositoryWithHome()
  const worktree = await repository.made(task)
  ledger.saveWorktree(worktree)
  const gc = async (how: Partial<Worktrees> = {}): Promise<RetiredWorktrees> => {
    const worktrees = { ...repository.worktrees, ...how }
    const taskOf = async () => ({ status: 'closed', metadata: {} })
    const byProductsOf = () => []
    const when = { endedBefore: Date.now(), dryRun: false }
    const retired = await retireWorktrees({ ledger, worktrees, taskOf, byProductsOf, ...when })
    await worktrees.clearLeft()
    return retired
  }
  const { root, home } = repository
  const left = () => ({
    rows: ledger.worktrees().map(({ state }) => state),
    branches: git(root, 'branch', '--list', 'fleet/*', '--format=%(refname:short)'),
    inHome: readdirSync(join(home, 'worktrees')),
    inRepository: existsSync(join(root, '.git/worktrees')) ? readdirSync(join(root, '.git/worktrees')) : [],
  })
  return { ...repository, ledger, worktree, gc, left }
}

/** As a supervisor begins a run of a task that was opened again. */
async function beginAgain({ ledger, intended, worktrees }: Awaited<ReturnType<typeof closedTask>>): Promise<Worktree> {
  ledger.begin(newRun('run-2', { task }))
  const worktree = ledger.worktreeOf(task) ?? (await intended(task))
  ledger.saveWorktree(worktree)
  expect(await worktrees.make(worktree)).toBeUndefined()
  const ready: Worktree = { ...worktree, state: 'ready', readyAt: Date.now() }
  ledger.saveWorktree(ready)
  put(ready.path, 'work.txt', 'x\n')
  return ready
}

describe('a task that is opened again while its worktree is removed', () => {
  test('gets another one at the same path, which the removal leaves alone', async () => {
    const closed = await closedTask()
    const { gc, left, worktrees, ledger } = closed
    let again: Worktree | undefined
    const remove: Worktrees['remove'] = async (worktree, how) => {
      again = await beginAgain(closed)
      await worktrees.remove(worktree, how)
    }
    expect(await gc({ remove })).toEqual({ removed: [task], kept: [] })
    expect(again).toMatchObject({ path: closed.worktree.path, branch: 'fleet/fleet-a1b-2' })
    expect(ledger.worktreeOf(task)).toEqual(again)
    expect(left()).toMatchObject({ rows: ['ready'], branches: again?.branch, inHome: [task] })
    expect(git(again?.path ?? '', 'status', '--porcelain', '--branch')).toBe('## fleet/fleet-a1b-2\n?? work.txt')
  })

  test('keeps it if its run is in the ledger first', async () => {
    const closed = await closedTask()
    const { gc, left, worktrees, worktree } = closed
    const whatIsLeft: Worktrees['whatIsLeft'] = async (...order) => {
      const seen = await worktrees.whatIsLeft(...order)
      await beginAgain(closed)
      return seen
    }
    expect(await gc({ whatIsLeft })).toEqual({ removed: [], kept: [] })
    expect(left()).toMatchObject({ rows: ['ready'], branches: worktree.branch, inHome: [task] })
    expect(git(worktree.path, 'status', '--porcelain')).toBe('?? work.txt')
  })
})

describe('a branch that a person has checked out', () => {
  test('is kept', async () => {
    const { gc, left, root, worktree } = await closedTask()
    git(root, 'worktree', 'remove', worktree.path)
    git(root, 'checkout', '-q', worktree.branch)
    const { path, branch } = worktree
    expect(await gc()).toEqual({
      removed: [],
      kept: [{ task, path, branch, why: `its branch is checked out in ${root}` }],
    })
    expect(left()).toMatchObject({ rows: ['ready'], branches: branch })
  })

  test('is kept also where that was after the worktree had been looked at', async () => {
    const { gc, left, root, worktree, worktrees } = await closedTask()
    const setAside: Worktrees['setAside'] = (each) => {
      worktrees.setAside(each)
      git(root, 'checkout', '-q', '--ignore-other-worktrees', worktree.branch)
    }
    expect(await gc({ setAside })).toEqual({ removed: [task], kept: [] })
    expect(left()).toEqual({ rows: [], branches: worktree.branch, inHome: [], inRepository: [] })
    expect(git(root, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}`)
  })

  test('is kept while it is rebased', async () => {
    const { gc, root, worktree } = await closedTask()
    git(root, 'worktree', 'remove', worktree.path)
    git(root, 'checkout', '-q', worktree.branch)
    expect(() => git(root, 'rebase', '-q', '--root', '--exec', 'false')).toThrow()
    expect((await gc()).kept).toMatchObject([{ why: `its branch is checked out in ${root}` }])
  })
})

test('a repository that is damaged or has gone keeps no other worktree from being removed', async () => {
  const { gc, left, ledger, root, home, worktree } = await closedTask()
  const [damaged, gone] = [repositoryWithHome().root, repositoryWithHome().root]
  const others = [
    await inRepository(damaged, home).made('fleet-d'),
    await inRepository(gone, home).made('fleet-e'),
  ].map((each) => ({ ...each, madeAt: 0 }))
  for (const each of others) ledger.saveWorktree(each)
  rmSync(join(damaged, '.git/HEAD'))
  mkdirSync(join(damaged, '.git/HEAD'))
  rmSync(gone, { recursive: true })
  const { removed, kept } = await gc()
  expect({ removed, kept: kept.map((each) => each.task) }).toEqual({ removed: [task], kept: ['fleet-d', 'fleet-e'] })
  expect(left()).toMatchObject({ rows: ['ready', 'ready'], branches: '', inHome: ['fleet-d', 'fleet-e'] })
  expect([root, worktree.path].map((path) => existsSync(path))).toEqual([true, false])
})

test('a removal that cannot write to the repository is named, and completed by the next', async () => {
  const { gc, left, root, worktree } = await closedTask()
  const lock = join(root, `.git/refs/heads/${worktree.branch}.lock`)
  writeFileSync(lock, '')
  expect((await gc()).kept).toMatchObject([
    { why: expect.stringContaining(`refs/heads/${worktree.branch} was not removed`) },
  ])
  expect(left()).toMatchObject({ rows: ['removing'], branches: worktree.branch })
  rmSync(lock)
  expect(await gc()).toEqual({ removed: [task], kept: [] })
  expect(left()).toEqual({ rows: [], branches: '', inHome: [], inRepository: [] })
})

const killed = new Error('killed')

/** Each ends the removal at another step. */
const KILLS: Readonly<Record<string, (worktrees: Worktrees) => Partial<Worktrees>>> = {
  'its files are in their place': () => ({
    setAside() {
      throw killed
    },
  }),
  'its files are aside, and the ledger does not know': (worktrees) => ({
    setAside(worktree) {
      worktrees.setAside(worktree)
      throw killed
    },
  }),
  'its branch is there': () => ({ remove: () => Promise.reject(killed) }),
  'its branch is gone': (worktrees) => ({
    async remove(...order) {
      await worktrees.remove(...order)
      throw killed
    },
  }),
  'its files are not deleted': () => ({ clearLeft: () => Promise.reject(killed) }),
}

describe.each(Object.entries(KILLS))('a removal that is killed when %s', (_name, how) => {
  test('is completed by the next', async () => {
    const { gc, left, worktrees } = await closedTask()
    await expect(gc(how(worktrees))).rejects.toBe(killed)
    await gc()
    expect(left()).toEqual({ rows: [], branches: '', inHome: [], inRepository: [] })
  })

  test('hinders no attempt of its task', async () => {
    const closed = await closedTask()
    const { gc, left, worktrees } = closed
    await expect(gc(how(worktrees))).rejects.toBe(killed)
    const again = await beginAgain(closed)
    await gc()
    expect(left()).toMatchObject({ rows: ['ready'], inHome: [task], inRepository: [expect.any(String)] })
    expect(git(again.path, 'status', '--porcelain')).toBe('?? work.txt')
  })
})
