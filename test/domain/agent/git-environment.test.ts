import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { gitEnvironment, pointsAtRepository } from '../../../src/domain/agent/git-environment.ts'

test("git ignores the repository of a hook around fleet and keeps the user's configuration and access", () => {
  const kept = {
    PATH: '/bin',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_CONFIG_GLOBAL: '/etc/other',
    GIT_SSH_COMMAND: 'ssh -i key',
    GIT_DISCOVERY_ACROSS_FILESYSTEM: '1',
  }
  const hook = { GIT_DIR: '.git', GIT_WORK_TREE: '/w', GIT_INDEX_FILE: '.git/index', GIT_PREFIX: '' }
  const changesOutput = { GIT_DIFF_OPTS: '-u0', GIT_TRACE: '1', GIT_EXTERNAL_DIFF: 'other', GIT_PAGER: 'less' }
  const ours = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
  expect(gitEnvironment({ ...kept, ...hook, ...changesOutput, LC_ALL: 'de_DE.UTF-8' })).toEqual({ ...kept, ...ours })
})

test('every variable that this git calls local to a repository is known, but for its configuration', () => {
  const local = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n')
  const configures = ['GIT_CONFIG', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS']
  expect(local.filter((name) => !pointsAtRepository(name) && !configures.includes(name))).toEqual([])
})
