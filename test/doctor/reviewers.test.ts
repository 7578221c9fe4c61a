import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { validated } from '../../src/config/load.ts'
import { checkReviewers } from '../../src/doctor/reviewers.ts'
import { Home } from '../../src/platform/files/home.ts'
import { temporaryFolder } from '../support/cli.ts'

test('doctor names the reviewers that cannot review, and says why', async () => {
  const folder = temporaryFolder()
  const home = new Home(join(folder, 'home'))
  mkdirSync(home.coders, { recursive: true })
  writeFileSync(join(folder, 'codex'), '#!/bin/sh\n', { mode: 0o755 })
  const by = (review_by: string) => ({ review_by })
  const projects = { '/a': by('codex'), '/b': by('claude'), '/c': by('shell'), '/d': by('gone'), '/e': {} }
  const settings = validated({ projects }, { path: 'runtime.toml', fileCoders: ['gone'] })
  const warning = (path: string, found: string, todo = '') => ({
    name: 'review_by',
    state: 'warn',
    found: `projects."${path}".review_by is ${found}; every finished task there waits for your review`,
    todo: `${todo}fleet config set 'projects."${path}".review_by=<coder>' (claude or codex)`,
  })
  expect(await checkReviewers(settings, { home, env: { PATH: folder } })).toEqual([
    warning('/b', 'claude, which cannot review: claude is not on PATH, or not executable', 'install claude, or '),
    warning('/c', 'shell, which cannot review: fleet knows no read-only mode of shell'),
    warning('/d', 'gone, which cannot review: fleet knows no such coder'),
  ])
})
