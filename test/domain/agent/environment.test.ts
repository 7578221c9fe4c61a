import { expect, test } from 'vitest'
import { agentEnvironment, inheritedEnvironment } from '../../../src/domain/agent/environment.ts'
import { withholding } from '../../../src/domain/agent/withholding.ts'

test('an agent inherits the environment without secrets, and gets the variables of its run', () => {
  const env = {
    PATH: '/usr/bin',
    HOME: '/home/u',
    TMPDIR: '/tmp',
    GH_TOKEN: 'kept',
    NPM_TOKEN: 'secret',
    ANTHROPIC_API_KEY: 'secret',
    CLAUDECODE: '1',
    BD_ACTOR: 'somebody',
    FLEET_RUN_ID: 'an outer run',
    FLEET_OTHER: 'x',
    GIT_DIR: '/elsewhere/.git',
    GONE: undefined,
  }
  const place = {
    pass: ['GH_TOKEN'],
    home: '/h',
    taskId: 'fleet-a1b',
    taskDir: '/h/tasks/fleet-a1b',
    artifactDir: '/h/tasks/fleet-a1b/artifacts',
    runId: 'run-1',
    binFolder: '/h/bin',
    tmp: '/h/tasks/fleet-a1b/attempts/1/tmp',
    extra: { DISABLE_UPDATES: '1', HOME: '/home/lane', FLEET_RUN_ID: 'forged' },
  }
  expect(
    agentEnvironment(
      inheritedEnvironment(env, withholding([{ families: ['ANTHROPIC'], beginnings: ['CLAUDE'] }], ['GH_TOKEN'])),
      place,
    ),
  ).toEqual({
    PATH: '/h/bin:/usr/bin',
    HOME: '/home/lane',
    TMPDIR: '/h/tasks/fleet-a1b/attempts/1/tmp',
    GH_TOKEN: 'kept',
    DISABLE_UPDATES: '1',
    FLEET_HOME: '/h',
    FLEET_TASK_ID: 'fleet-a1b',
    FLEET_TASK_DIR: '/h/tasks/fleet-a1b',
    FLEET_ARTIFACT_DIR: '/h/tasks/fleet-a1b/artifacts',
    FLEET_RUN_ID: 'run-1',
  })
  expect(agentEnvironment({}, place)['PATH']).toMatch(/^\/h\/bin:\/usr/)
})
