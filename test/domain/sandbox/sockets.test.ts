import { expect, test } from 'vitest'
import { namedSockets } from '../../../src/domain/sandbox/sockets.ts'

test('sockets that variables name are hidden', () => {
  const env = {
    SSH_AUTH_SOCK: '/home/ann/.1password/agent.sock',
    DOCKER_HOST: 'unix:///home/ann/.colima/docker.sock',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus,guid=1',
    GPG_AGENT_INFO: '/home/ann/gpg/S.gpg-agent:12:1',
    XAUTHORITY: '/home/ann/.Xauthority',
  }
  expect(namedSockets(env)).toEqual([
    env.SSH_AUTH_SOCK,
    '/home/ann/.colima/docker.sock',
    '/run/user/1000/bus',
    '/home/ann/gpg/S.gpg-agent',
    env.XAUTHORITY,
  ])
  expect(namedSockets({ DOCKER_HOST: 'tcp://127.0.0.1:2375', DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/a' })).toEqual(
    [],
  )
})
