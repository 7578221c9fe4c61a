import { beforeEach } from 'vitest'
import { isLeftOut } from '../ps-leg.mjs'

/** For the ps leg: skips what test/ps-leg.mjs leaves out of it. */
beforeEach(({ task, skip }) => {
  const groups: string[] = []
  for (let { suite } = task; suite !== undefined; suite = suite.suite) groups.unshift(suite.name)
  skip(isLeftOut(task.file.name, [...groups, task.name].join(' ')), 'left out of the ps leg')
})
