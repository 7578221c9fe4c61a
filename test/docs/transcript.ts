import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { FLEET, run, temporaryFolder } from '../support/cli.ts'
import { putAgentInto } from './claude-of-the-pages.ts'

/**
 * Runs the `console` blocks of a page. Each `$ ` line is a command in its own shell, in the directory where the
 * last one ended, on the page's own home; its output replaces the output on the page. A stub `claude` and `my-agent`
 * do what the page needs. `<!-- $ command -->` runs a command that the page does not show;
 * a block that names a file below `~` after its language becomes that file. `ada$ ` is the shell of a machine with that
 * name and its own home. `database` is the real URL behind the `DATABASE` of the pages.
 */
export function rerun(page: string, database = ''): string {
  const shells = new Map<string, Shell>()
  const names = new Names()
  const on = (machine: string): Shell => {
    const shell = shells.get(machine) ?? new Shell({ names, database })
    shells.set(machine, shell)
    return shell
  }
  return page.replace(BLOCK, (block, body?: string, where = '', unseen?: string, file?: string, content = '') => {
    if (file !== undefined) on('').write(file, content)
    if (unseen !== undefined) on(where).run(unseen)
    if (body === undefined) return block
    const commands = [...body.matchAll(/^(\w*)\$ ((?:.*\\\n)*.*)$/gm)]
    const told = commands.map(([line, machine = '', command = '']) => `${line}\n${on(machine).run(command)}`)
    return `\`\`\`console\n${told.join('')}\`\`\``
  })
}

const BLOCK = /^```console\n([\s\S]*?)^```$|^<!-- (\w*)\$ (.*) -->$|^```\w+ ~\/(\S+)\n([\s\S]*?)^```$/gm

/** The URL of a queue on a server, as the pages show it. */
const DATABASE = 'postgres://fleet@db.example/fleet'

export function needsServer(page: string): boolean {
  return page.split('\n').some((line) => /^\w*\$ /.test(line) && line.includes(DATABASE))
}

/** Ids are random, so a page shows these instead, in the order of appearance. */
const NAMES = ['k3q', 'm8d', '2xt', 'p0v', 'w5j', 'c7n', 'h4z', 'y1s', '9rf', 'b6g', 't2e', 'n8u'].map(
  (name) => `fleet-${name}`,
)
const HOME = '/home/you'
const AS_YOU = 'as you: they can change and delete whatever you can'

/** Commands whose tables the pages show as a terminal does. */
export const ON_TERMINAL = /^\w*\$ (fleet tasks(?: --all)?|fleet hosts)$/m
const COLUMNS = 160

/** The replacements that all machines of one page share. */
class Names {
  readonly #names = new Map<string, string>()
  /** The real home folder of each machine. */
  readonly roots: string[] = []

  give(id: string): void {
    if (this.#names.has(id)) return
    const name = NAMES[this.#names.size]
    if (name === undefined) throw new Error('a page makes more tasks than there are names for them')
    this.#names.set(id, name)
  }

  hide(text: string): string {
    return [...this.#names].reduce((shown, [id, name]) => shown.replaceAll(id, name), text)
  }

  reveal(text: string): string {
    return [...this.#names].reduce((real, [id, name]) => real.replaceAll(name, id), text)
  }
}

class Shell {
  readonly #root = temporaryFolder()
  readonly #names: Names
  readonly #database: string
  #cwd = join(this.#root, 'shop')

  constructor({ names, database }: { names: Names; database: string }) {
    this.#names = names
    this.#names.roots.push(this.#root)
    this.#database = database
    const bin = join(this.#root, 'bin')
    mkdirSync(bin)
    mkdirSync(this.#cwd)
    writeFileSync(join(bin, 'fleet'), `#!/bin/sh\nexec '${process.execPath}' '${FLEET}' "$@"\n`)
    chmodSync(join(bin, 'fleet'), 0o755)
    for (const name of ['claude', 'my-agent']) putAgentInto(bin, { name, base: this.#root })
    // A page that failed midway may have left a supervisor running.
    onTestFinished(() => void this.run('fleet run stop --now'))
  }

  run(command: string): string {
    const after = join(this.#root, 'pwd')
    const real = ON_TERMINAL.test(`$ ${command}`)
      ? `NO_COLOR=1 script -qec 'stty cols ${COLUMNS}; ${command}' /dev/null | tr -d '\\r'`
      : this.#real(command)
    const env = {
      HOME: this.#root,
      USER: 'you',
      TZ: 'UTC',
      PATH: `${join(this.#root, 'bin')}:${process.env['PATH']}`,
      // Pages show the same home on every version of Node.
      NODE_COMPILE_CACHE: '',
      NODE_DISABLE_COMPILE_CACHE: '1',
    }
    const ran = run('bash', ['-c', `{ ${real}\n} 2>&1; code=$?; pwd > '${after}'; exit $code`], { cwd: this.#cwd, env })
    if (existsSync(after)) this.#cwd = readFileSync(after, 'utf8').trim()
    return this.#shown(ran.stdout)
  }

  /** Writes a file below the home folder, with the permissions a user would set. */
  write(path: string, content: string): void {
    const file = join(this.#root, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, content, { mode: content.startsWith('#!') ? 0o700 : 0o600 })
  }

  #real(command: string): string {
    return this.#names.reveal(command.replaceAll(DATABASE, this.#database))
  }

  #shown(output: string): string {
    const here = this.#names.roots.reduce((text, root) => text.replaceAll(root, HOME), output)
    const text = likeAnyRun(withoutServer(here))
    for (const [, id = ''] of text.matchAll(/^Created (fleet-[a-z0-9]+)(?:\.\d+)*:/gm)) this.#names.give(id)
    return this.#names.hide(text)
  }
}

/** Hides the real server and the name of this machine. */
function withoutServer(output: string): string {
  return output.replace(/postgres:\/\/fleet@127\.0\.0\.1:\d+\/[^ "'\s]*/g, DATABASE).replace(MACHINE, 'box')
}

/** A whole word only: a short machine name can occur within an id. */
const MACHINE = new RegExp(`(?<![\\w-])${hostname().replace(/\W/g, '\\$&')}(?![\\w-])`, 'g')

/** A duration, as `elapsed` writes it, between these. A busy machine takes minutes where another takes seconds. */
function during(before: string, after: string): RegExp {
  return new RegExp(`${before}(?:\\d+m)?\\d+s${after}`, 'gm')
}

/** Replaces everything that differs between runs and machines. */
export function likeAnyRun(output: string): string {
  return (
    output
      // What init reports about this machine: the user, and whether bd is on PATH.
      .replace(/as root: they can change anything .*|as (\w+): they can change and delete whatever \1 can/, AS_YOU)
      .replace(/(?<=^queue: local \()bd .* not served yet/m, 'kept in fleet.db, nothing else is needed')
      .replace(/\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '2026-11-15$109:30:00Z')
      .replace(/\d{4}-\d\d-\d\d/g, '2026-11-15')
      .replace(/(?<![\d:])\d\d:\d\d(:\d\d)?(?![\d:])/g, (_time, seconds) =>
        seconds === undefined ? '09:30' : '09:30:00',
      )
      .replace(/\b\d{8}T\d{6}Z/g, '20261115T093000Z')
      // SQLite's own files beside a store come and go.
      .replace(/^fleet\.db-(?:shm|wal)\n/gm, '')
      // Different in every run: pids, run ids, hashes, durations.
      .replace(/(?<=\bpid )\d+/g, '4242')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '0b5c…')
      .replace(/\b[0-9a-f]{64}\b/g, '9c7f…')
      .replace(/(?<="duration_ms": )\d+/g, '48210')
      .replace(during('(?<=^ {2}\\d+ {2}\\S+ {2})', '(?= )'), '9s')
      .replace(during('(?<=, for )', '(?=,)'), '9s')
      .replace(during('(?<=^\\d\\d:\\d\\d:\\d\\d {2}waiting for a retry of \\S+ in )', ''), '9s')
      .replace(during('(?<=^silent for: +)', '$'), '0s')
      .replace(/^time: .*$/gm, 'time:         09:30:00, 9s (starting 1s, working 7s, judging 1s)')
      // A column of this table is as wide as its longest duration.
      .replace(/(?<= Agents {2}) *Up/g, 'Up')
      .replace(during('(?<= \\d/\\d {2}) *', '(?= {2})'), '9s')
      // Right-aligned, so that the column stays as wide as it is.
      .replace(during('(?<= ) *', '(?= {2})'), (whole) => '9s'.padStart(whole.length))
  )
}
