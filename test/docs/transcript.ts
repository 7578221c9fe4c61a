import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { FLEET, run, temporaryFolder } from '../support/cli.ts'
import { putAgentInto } from './claude-of-the-pages.ts'

/**
 * The `console` blocks of a page, run for real. Each `$ ` line is a command in a shell of its own, in the directory the
 * last one ended in, on a home of the page's own; what it prints takes the place of what the page says. There are a
 * `claude` and a `my-agent` that do what the page needs of them. `<!-- $ command -->` runs one that the page does not show;
 * a block that names a file below `~` after its language becomes that file. `server`: the queue that the page calls
 * DATABASE.
 */
export function rerun(page: string, { server }: { server?: string } = {}): string {
  const shell = new Shell(server)
  return page.replace(BLOCK, (block, body?: string, unseen?: string, file?: string, content = '') => {
    if (file !== undefined) shell.write(file, content)
    if (unseen !== undefined) shell.run(unseen)
    if (body === undefined) return block
    const commands = [...body.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map((match) => match[1] as string)
    return `\`\`\`console\n${commands.map((command) => `$ ${command}\n${shell.run(command)}`).join('')}\`\`\``
  })
}

const DATABASE = 'postgres://fleet@db.example/fleet'

export function needsServer(page: string): boolean {
  return page.split('\n').some((line) => line.startsWith('$ ') && line.includes(DATABASE))
}

const BLOCK = /^```console\n([\s\S]*?)^```$|^<!-- \$ (.*) -->$|^```\w+ ~\/(\S+)\n([\s\S]*?)^```$/gm

/** Ids are drawn at random, so the page keeps names of its own for them, given in the order of appearance. */
const NAMES = ['k3q', 'm8d', '2xt', 'p0v', 'w5j', 'c7n', 'h4z', 'y1s', '9rf', 'b6g', 't2e', 'n8u'].map(
  (name) => `fleet-${name}`,
)
const HOME = '/home/you'
const AS_YOU = 'as you: they can change and delete whatever you can'

/** Tables are shown as a terminal shows them. */
export const ON_TERMINAL = /^\$ (fleet tasks(?: --all)?|fleet hosts)$/m
const COLUMNS = 160

class Shell {
  readonly #root = temporaryFolder()
  readonly #ids = new Map<string, string>()
  #cwd = join(this.#root, 'shop')

  readonly #server: string | undefined

  constructor(server: string | undefined) {
    this.#server = server
    const bin = join(this.#root, 'bin')
    mkdirSync(bin)
    mkdirSync(this.#cwd)
    writeFileSync(join(bin, 'fleet'), `#!/bin/sh\nexec '${process.execPath}' '${FLEET}' "$@"\n`)
    chmodSync(join(bin, 'fleet'), 0o755)
    for (const name of ['claude', 'my-agent']) putAgentInto(bin, { name, base: this.#root })
    // A page that did not come to its end may have left a supervisor.
    const homes = 'for home in ~/.fleet ~/forge; do'
    onTestFinished(() => void this.run(`${homes} [ ! -d $home ] || FLEET_HOME=$home fleet run stop --now; done`))
  }

  run(command: string): string {
    const after = join(this.#root, 'pwd')
    const real = ON_TERMINAL.test(`$ ${command}`)
      ? `NO_COLOR=1 script -qec 'stty cols ${COLUMNS}; ${command}' /dev/null | tr -d '\\r'`
      : this.#real(command)
    const env = { HOME: this.#root, USER: 'you', TZ: 'UTC', PATH: `${join(this.#root, 'bin')}:${process.env['PATH']}` }
    const ran = run('bash', ['-c', `{ ${real}\n} 2>&1; code=$?; pwd > '${after}'; exit $code`], { cwd: this.#cwd, env })
    if (existsSync(after)) this.#cwd = readFileSync(after, 'utf8').trim()
    return this.#shown(ran.stdout)
  }

  /** Below the home folder, as an editor and chmod would leave it. */
  write(path: string, content: string): void {
    const file = join(this.#root, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, content, { mode: content.startsWith('#!') ? 0o700 : 0o600 })
  }

  #real(command: string): string {
    let text = command.replaceAll(DATABASE, `'${this.#server}'`)
    for (const [id, name] of this.#ids) text = text.replaceAll(name, id)
    return text
  }

  #shown(output: string): string {
    const text = likeAnyRun(withoutServer(output.replaceAll(this.#root, HOME)))
    for (const [, id = ''] of text.matchAll(/^Created (fleet-[a-z0-9]+)(?:\.\d+)*:/gm)) this.#name(id)
    return [...this.#ids].reduce((shown, [id, name]) => shown.replaceAll(id, name), text)
  }

  #name(id: string): void {
    if (this.#ids.has(id)) return
    const name = NAMES[this.#ids.size]
    if (name === undefined) throw new Error('a page makes more tasks than there are names for them')
    this.#ids.set(id, name)
  }
}

/** Neither the server that stood in for the page's nor the name of this machine. */
function withoutServer(output: string): string {
  return output.replace(/postgres:\/\/fleet@127\.0\.0\.1:\d+\/[^ "']*/g, DATABASE).replaceAll(hostname(), 'box')
}

/** Without what is another at every run and on every machine. */
export function likeAnyRun(output: string): string {
  return (
    output
      // What init says about this machine: who runs it, and whether there is a bd.
      .replace(/as root: everything .*|as (\w+): they can change and delete whatever \1 can/, AS_YOU)
      .replace(/(?<=^queue: local \()bd .* not served yet/m, 'kept in fleet.db, nothing else is needed')
      .replace(/\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '2026-11-15$109:30:00Z')
      .replace(/\d{4}-\d\d-\d\d/g, '2026-11-15')
      .replace(/(?<![\d:])\d\d:\d\d(:\d\d)?(?![\d:])/g, (_time, seconds) =>
        seconds === undefined ? '09:30' : '09:30:00',
      )
      // SQLite's own files beside a store come and go.
      .replace(/^fleet\.db-(?:shm|wal)\n/gm, '')
      // What is another at every run: processes, runs, hashes, how long it took.
      .replace(/(?<=\bpid )\d+/g, '4242')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '0b5c…')
      .replace(/\b[0-9a-f]{64}\b/g, '9c7f…')
      .replace(/(?<="duration_ms": )\d+/g, '48210')
      .replace(/(?<=^ {2}\d+ {2}\S+ {2})\d+s(?= )/gm, '9s')
      .replace(/(?<=, for )\d+s(?=,)|(?<=^waiting for a retry of \S+ in )\d+s/gm, '9s')
      // Right-aligned, so that the column stays as wide as it is.
      .replace(/(?<= )( *)\d+s(?= {2})/g, (whole) => '9s'.padStart(whole.length))
  )
}
