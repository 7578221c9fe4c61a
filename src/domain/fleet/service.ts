import { hash } from 'node:crypto'
import { delimiter, isAbsolute, join } from 'node:path'

/** The supervisor as a service of the user's session manager: systemd on Linux, launchd on macOS. */
export interface Service {
  readonly kind: 'systemd' | 'launchd'
  /** `fleet.service`, `dev.fleet.supervisor`. */
  readonly name: string
  /** The file that describes it. */
  readonly path: string
}

export interface ServiceProgram {
  readonly node: string
  readonly fleet: string
}

export interface ServiceFacts extends ServiceProgram {
  readonly home: string
  /** PATH of the person who installs it: agents find their programs there. */
  readonly path: string
  /** For what it prints before its own log is open. */
  readonly output: string
}

export interface ServicePlace {
  readonly platform: string
  /** fleet's home; and the one that a person has who names none. */
  readonly home: string
  readonly usualHome: string
  readonly userHome: string
  /** `XDG_CONFIG_HOME`; undefined: not given. */
  readonly config: string | undefined
}

/** undefined: fleet knows no service manager of this platform. A home of another name has a service of its own. */
export function serviceOf({ platform, home, usualHome, userHome, config }: ServicePlace): Service | undefined {
  const more = home === usualHome ? '' : `-${hash('sha256', home).slice(0, 8)}`
  if (platform === 'linux') {
    const folder = config !== undefined && isAbsolute(config) ? config : join(userHome, '.config')
    const name = `fleet${more}.service`
    return { kind: 'systemd', name, path: join(folder, 'systemd', 'user', name) }
  }
  if (platform !== 'darwin') return undefined
  const name = `dev.fleet.supervisor${more}`
  return { kind: 'launchd', name, path: join(userHome, 'Library', 'LaunchAgents', `${name}.plist`) }
}

export function serviceText({ kind, name }: Service, facts: ServiceFacts): string {
  const usable = { ...facts, path: absoluteFolders(facts.path) }
  return kind === 'systemd' ? systemdUnit(usable) : launchdAgent(name, usable)
}

/** A service manager expands nothing, and starts in another directory. */
function absoluteFolders(path: string): string {
  return [...new Set(path.split(delimiter).filter(isAbsolute))].join(delimiter)
}

/**
 * `KillMode=process`: a supervisor that ends or crashes takes no agent along, and the next one adopts them. A supervisor that
 * was stopped with `fleet run stop` ends with 0 and stays stopped.
 */
function systemdUnit({ node, fleet, home, path, output }: ServiceFacts): string {
  const command = [node, fleet, 'run', '--quiet'].map(systemdWord).join(' ')
  return `# Written by fleet run install; fleet run uninstall removes it.
[Unit]
Description=fleet: supervisor of coding agents (${systemdText(home)})
StartLimitIntervalSec=0

[Service]
ExecStart=${command}
Environment=${systemdVariable('FLEET_HOME', home)}
Environment=${systemdVariable('PATH', path)}
KillMode=process
Restart=on-failure
RestartSec=30
StandardOutput=append:${systemdText(output)}
StandardError=append:${systemdText(output)}

[Install]
WantedBy=default.target
`
}

/** `%` begins a specifier everywhere in a unit. */
function systemdText(text: string): string {
  return text.replaceAll('%', '%%')
}

function systemdQuoted(text: string): string {
  return `"${systemdText(text).replace(/[\\"]/g, '\\$&')}"`
}

function systemdVariable(name: string, value: string): string {
  return systemdQuoted(`${name}=${value}`)
}

/** In a command `$` begins a variable, too. */
function systemdWord(word: string): string {
  return systemdQuoted(word).replaceAll('$', '$$$$')
}

/** `AbandonProcessGroup` is what `KillMode=process` is to systemd; without a `ProcessType` launchd slows it down. */
function launchdAgent(label: string, { node, fleet, home, path, output }: ServiceFacts): string {
  const words = [node, fleet, 'run', '--quiet'].map((word) => `    <string>${xml(word)}</string>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by fleet run install; fleet run uninstall removes it. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>FLEET_HOME</key>
    <string>${xml(home)}</string>
    <key>PATH</key>
    <string>${xml(path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ProcessType</key>
  <string>Interactive</string>
  <key>StandardOutPath</key>
  <string>${xml(output)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(output)}</string>
</dict>
</plist>
`
}

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

function xml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => XML[sign] ?? sign)
}

function fromXml(text: string): string {
  return Object.entries(XML).reduceRight((read, [sign, name]) => read.replaceAll(name, sign), text)
}

/** The programs that a service file names; undefined: fleet did not write it like that. */
export function programIn({ kind }: Pick<Service, 'kind'>, text: string): ServiceProgram | undefined {
  const [node, fleet] =
    kind === 'systemd'
      ? [...(/^ExecStart=(.*)$/m.exec(text)?.[1] ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => {
          return word.replace(/\\(.)/g, '$1').replaceAll('$$', '$').replaceAll('%%', '%')
        })
      : [...(/<array>(.*?)<\/array>/s.exec(text)?.[1] ?? '').matchAll(/<string>(.*?)<\/string>/gs)].map(
          ([, word = '']) => fromXml(word),
        )
  return node === undefined || fleet === undefined ? undefined : { node, fleet }
}

/** A service file has one line for each value. */
export function unusablePath(paths: readonly string[]): string | undefined {
  return paths.find((path) => !isAbsolute(path) || /\p{Cc}/u.test(path))
}

/** One call of a program. */
export type ServiceCommand = readonly string[]

export interface ServiceCommands {
  /** They make a written file count. */
  readonly install: readonly ServiceCommand[]
  /** Goes well where the file counts already, and the manager would refuse it a second time; undefined: it does not. */
  readonly isLoaded?: ServiceCommand
  /** Before the file is removed, or replaced by another where it is loaded. */
  readonly uninstall: readonly ServiceCommand[]
  readonly after: readonly ServiceCommand[]
}

/** `uid`: the user's. A supervisor that runs already goes on; the service is the next one. */
export function commandsFor(
  { kind, name, path }: Service,
  { uid, isRunning }: { readonly uid: number; readonly isRunning: boolean },
): ServiceCommands {
  if (kind === 'systemd') {
    const reload = ['systemctl', '--user', 'daemon-reload']
    return {
      install: [reload, ['systemctl', '--user', 'enable', ...(isRunning ? [] : ['--now']), name]],
      uninstall: [['systemctl', '--user', 'disable', name]],
      after: [reload],
    }
  }
  const domain = `gui/${uid}`
  return {
    install: [['launchctl', 'bootstrap', domain, path]],
    isLoaded: ['launchctl', 'print', `${domain}/${name}`],
    uninstall: [['launchctl', 'bootout', `${domain}/${name}`]],
    after: [],
  }
}
