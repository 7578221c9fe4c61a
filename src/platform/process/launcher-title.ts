/** The command line of a launcher. Only the launcher itself can change it, so it tells without any record whose agents are below it. */
const TITLE = 'fleet (starts agents)'

export function launcherTitle(home: string | undefined): string {
  return home === undefined ? TITLE : `${TITLE} ${home}`
}

/** The home whose agents the process with this command line starts; undefined: it is no launcher, or does not say. */
export function homeOfLauncher(command: string): string | undefined {
  return command.startsWith(`${TITLE} /`) ? command.slice(TITLE.length + 1) : undefined
}
