import { expect, test } from 'vitest'
import { bdEnvironment, ownBdEnvironment } from '../../../src/domain/queue/bd-environment.ts'

const ROLE = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'beads.role', GIT_CONFIG_VALUE_0: 'maintainer' }

test('bd uses the database of the home, whatever its environment says', () => {
  const env = {
    PATH: '/bin',
    BEADS_DIR: '/project/.beads',
    BEADS_DB: '/elsewhere.db',
    BD_DB: '/elsewhere.db',
    BEADS_DOLT_SERVER_HOST: 'far.example',
    BEADS_DOLT_SHARED_SERVER: '1',
    CLAUDECODE: '1',
    BD_AGENT_MODE: '1',
    BD_ACTOR: 'anna',
    BD_JSON_ENVELOPE: '1',
  }
  expect(bdEnvironment(env, '/home/.beads')).toEqual({
    PATH: '/bin',
    BD_ACTOR: 'anna',
    BD_JSON_ENVELOPE: '1',
    BEADS_DIR: '/home/.beads',
    BD_DISABLE_METRICS: '1',
    FLEET_CALLS_BD: '1',
    ...ROLE,
  })
})

test("in fleet's own calls only fleet names the actor, and the answer has one format", () => {
  expect(ownBdEnvironment({ BD_ACTOR: 'anna', BEADS_ACTOR: 'bob', BD_JSON: 'true' }, '/h/.beads')).toEqual({
    BEADS_DIR: '/h/.beads',
    BD_DISABLE_METRICS: '1',
    FLEET_CALLS_BD: '1',
    BD_JSON_ENVELOPE: '1',
    BD_NON_INTERACTIVE: '1',
    NO_COLOR: '1',
    ...ROLE,
  })
})

test("the user's own git configuration by variables is kept", () => {
  const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'anna' }
  expect(bdEnvironment(env, '/h/.beads')).toMatchObject({
    ...env,
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_1: 'beads.role',
    GIT_CONFIG_VALUE_1: 'maintainer',
  })
})
