/** Variables that name a socket, or the file that opens one, of a program outside. */
const NAMED_BY = ['SSH_AUTH_SOCK', 'DOCKER_HOST', 'DBUS_SESSION_BUS_ADDRESS', 'GPG_AGENT_INFO', 'XAUTHORITY']

/** The sockets that variables name: a place that can be read can be connected to, and the program there acts outside. */
export function namedSockets(env: Readonly<Record<string, string>>): readonly string[] {
  return NAMED_BY.flatMap((name) => {
    const path = /^(?:unix:(?:path=|\/\/)?)?(\/[^,;:]+)/.exec(env[name] ?? '')?.[1]
    return path === undefined ? [] : [path]
  })
}
