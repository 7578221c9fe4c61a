import { resolve } from 'node:path'
import { actorFrom, openLocalQueue, openQueueElsewhere, queueOf, willWrite } from '../../app.ts'
import { agentName, currentRun } from '../../domain/agent/current-run.ts'
import type { Enclosed } from '../../domain/agent/fence.ts'
import { nearest } from '../../domain/text/nearest.ts'
import { plain, printableJson } from '../../domain/text/plain.ts'
import { AppError } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'
import { directoryProblem } from '../../platform/files/paths.ts'
import { lockForWriting } from '../../platform/sqlite/queue-lock.ts'
import { readInput } from '../../platform/terminal/input.ts'
import { isOutputGone, writeErr, writeOut } from '../../platform/terminal/output.ts'
import { terminals } from '../../platform/terminal/terminal.ts'
import { type Flag, FlagError, type Flags, parseFlags, RefusedFlag } from '../flags.ts'
import { type BdCall, type BdCommand, BdFailure } from './command.ts'
import { GLOBAL_FLAGS, REFUSED_GLOBAL_FLAGS, TAKES_VALUE } from './global-flags.ts'
import { commandHelp, commandList, commandNames, commandPage, wholeReference } from './help.ts'
import { answerText, errorJson } from './json.ts'
import { COMMANDS, type Loader } from './registry.ts'

export interface BdWorld {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

/** `fleet bd …`: bd's language, served by fleet itself or, on a beads queue, by bd. Returns the exit code. */
export async function runBd(argv: readonly string[], world: BdWorld): Promise<number> {
  try {
    if (!(await surelyReads(argv))) willWrite(world.home)
    // Inside a run fleet serves the command on every queue kind, so that an agent cannot settle a task.
    if ((await queueOf(world.home)).kind.servedBy === 'bd' && (await enclosedIn(world)) === undefined) {
      return await (await import('./beads/forward.ts')).forwardBd(argv, world)
    }
    return await dispatch(argv, world)
  } catch (error) {
    // --json is not parsed yet, so the error is text; bd does the same.
    return explain(error, { json: false, envelope: false })
  }
}

/** Serves the command from fleet's own table, on any queue. */
export async function dispatch(argv: readonly string[], world: BdWorld): Promise<number> {
  const at = commandIndex(argv)
  const name = argv[at]
  if (name === undefined && (argv.includes('--version') || argv.includes('-V')))
    return await dispatch(['version'], world)
  if (name === undefined) {
    writeOut(await commandList())
    return 0
  }
  if (name === 'help') return await help(argv.slice(at + 1))
  let command = await load(name)
  const path = [command.name]
  let words = [...argv.slice(0, at), ...argv.slice(at + 1)]
  if (command.subcommands !== undefined) {
    const sub = command.subcommands.find(
      (each) => each.name === argv[at + 1] || each.aliases?.includes(argv[at + 1] ?? ''),
    )
    if (sub !== undefined) {
      command = sub
      path.push(sub.name)
      words = [...argv.slice(0, at), ...argv.slice(at + 2)]
    }
  }
  const { flags, args } = parse(command, words, path)
  if (flags.on('help')) {
    writeOut(commandHelp(command, path))
    return 0
  }
  return await perform({ command, path }, { flags, args }, world)
}

/** `bd help [command...]`, and bd's ways to print all of it. */
async function help(words: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(words, HELP_FLAGS)
  if (flags.on('list')) writeOut(`${(await commandNames()).join('\n')}\n`)
  else if (flags.on('all')) writeOut(await wholeReference())
  else if (flags.has('doc'))
    writeOut(await commandPage(await found([flags.text('doc') ?? '', ...args].join(' ').split(/\s+/))))
  else if (args.length === 0) writeOut(await commandList())
  else {
    const { command, path } = await found(args)
    writeOut(commandHelp(command, path))
  }
  return 0
}

const HELP_FLAGS: readonly Flag[] = [
  ...GLOBAL_FLAGS,
  { name: 'all', kind: 'switch', help: 'Show help for all commands in a single document' },
  { name: 'list', kind: 'switch', help: 'List all available commands' },
  { name: 'doc', kind: 'text', help: 'Generate markdown docs for a single command' },
]

/** A command by its words, as in `dep add`. */
async function found(words: readonly string[]): Promise<{ command: BdCommand; path: readonly string[] }> {
  const [first = '', second] = words
  const command = await load(first)
  const sub = command.subcommands?.find((each) => each.name === second || each.aliases?.includes(second ?? ''))
  return sub === undefined ? { command, path: [command.name] } : { command: sub, path: [command.name, sub.name] }
}

async function perform(
  { command, path }: { command: BdCommand; path: readonly string[] },
  given: { flags: Flags; args: readonly string[] },
  world: BdWorld,
): Promise<number> {
  const { flags } = given
  const json = flags.on('json') || flags.text('format')?.toLowerCase() === 'json' || world.env['BD_JSON'] === 'true'
  const envelope = world.env['BD_JSON_ENVELOPE'] === '1'
  let exitCode = 0
  const cwd = directoryFrom(world.cwd, flags.text('directory'))
  const changesNothing = command.name === 'version' || onlyReads(command, flags)
  const reads = changesNothing || flags.on('readonly')
  const enclosed = changesNothing ? ownWord(world) : await enclosedIn(world)
  if (enclosed?.kind === 'in-some-run') return explain(fromAgent(path, enclosed.why), { json, envelope })
  const own = enclosed?.run
  using _writer = reads ? undefined : lockForWriting(world.home)
  // Connect to a remote queue before the command runs; only `version` needs no queue.
  let store = command.name === 'version' ? undefined : await openQueueElsewhere(world.home)
  const call: BdCall = {
    ...given,
    // Opened on first use.
    get store() {
      store ??= openLocalQueue(world.home, { readOnly: reads })
      return store
    },
    home: world.home,
    actor: own === undefined ? actorFrom(world.env, flags.text('actor')) : agentName(own.task),
    ...(own === undefined ? {} : { agent: own.task }),
    cwd,
    env: world.env,
    now: new Date(),
    json,
    terminal: terminals(),
    quiet: flags.on('quiet'),
    print: (line) => writeOut(`${plain(line)}\n`),
    warn: (line) => writeErr(`${plain(line)}\n`),
    answer: (value, pagination) =>
      writeOut(answerText(value, { envelope, ...(pagination === undefined ? {} : { pagination }) })),
    answerEach: (values) => answerEach(values, envelope),
    readInput: (path) => readInput(path === '-' ? path : resolve(cwd, path)),
    fail: (code = 1) => {
      exitCode = code
    },
  }
  try {
    if (own === undefined) await command.run(call)
    else await (await import('./inside/inside-run.ts')).runInside({ command, path, own }, call)
  } catch (error) {
    return explain(error, { json, envelope })
  } finally {
    await store?.[Symbol.asyncDispose]()
  }
  return exitCode
}

/** Not loaded by commands that only read. */
async function enclosedIn({ env, home }: BdWorld): Promise<Enclosed | undefined> {
  return (await import('../../views/enclosing-run.ts')).enclosedBy(home, env)
}

/** A command that only reads does the same for all, so the caller's word is enough. */
function ownWord({ env, home }: BdWorld): Extract<Enclosed, { kind: 'in-run' }> | undefined {
  const run = currentRun(env, home)
  return run && { kind: 'in-run', run }
}

function fromAgent(path: readonly string[], why: string): BdFailure {
  return new BdFailure(`bd ${path.join(' ')} looks like a command of an agent: ${why}`, {
    hint: 'inside a run, leave the FLEET_ variables as they are; as a person, call it from a terminal beside the supervisor',
  })
}

function onlyReads({ reads = false }: BdCommand, flags: Flags): boolean {
  return typeof reads === 'boolean' ? reads : reads(flags)
}

export function directoryFrom(cwd: string, given: string | undefined): string {
  if (given === undefined) return cwd
  const path = resolve(cwd, given)
  const problem = directoryProblem(path)
  if (problem !== undefined) throw new BdFailure(`cannot change to directory ${given}: it ${problem}`, { json: 'text' })
  return path
}

/** Streams an array in the layout of a complete one. */
async function answerEach(values: AsyncIterable<unknown>, envelope: boolean): Promise<void> {
  const indent = envelope ? '    ' : '  '
  let chunk = envelope ? '{\n  "data": [' : '['
  let empty = true
  for await (const value of values) {
    chunk += `${empty ? '' : ','}\n${indent}${printableJson(value, 2).replaceAll('\n', `\n${indent}`)}`
    empty = false
    if (chunk.length > 65536) {
      writeOut(chunk)
      chunk = ''
      if (isOutputGone()) return
    }
  }
  const close = empty ? ']' : envelope ? '\n  ]' : '\n]'
  writeOut(`${chunk}${close}${envelope ? ',\n  "schema_version": 1\n}' : ''}\n`)
}

/** The first word that is neither a global flag nor its value. */
export function commandIndex(argv: readonly string[]): number {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string
    if (!word.startsWith('-')) return i
    if (TAKES_VALUE.has(word)) i++
  }
  return argv.length
}

/** By its name alone: flags and subcommands can make a command that changes something. */
async function surelyReads(argv: readonly string[]): Promise<boolean> {
  const loader = loaderOf(argv[commandIndex(argv)] ?? '')
  return loader === undefined || (await loader.load()).reads === true
}

function loaderOf(name: string): Loader | undefined {
  return COMMANDS.find((each) => each.names.includes(name))
}

async function load(name: string): Promise<BdCommand> {
  const loader = loaderOf(name)
  if (loader !== undefined) return await loader.load()
  const instead = (await import('./not-served.ts')).NOT_SERVED.get(name)
  if (instead !== undefined) {
    throw new BdFailure(`bd ${name} is not served by fleet on a local queue`, {
      json: 'text',
      exitCode: 8,
      hint: instead,
    })
  }
  const near = nearest(
    name,
    COMMANDS.flatMap((each) => each.names),
  )
  const meant = near.length === 0 ? '' : `\n\nDid you mean this?\n${near.map((each) => `\t${each}`).join('\n')}\n`
  throw new BdFailure(`unknown command "${name}" for "bd"${meant}\nRun 'fleet bd --help' for usage.`, { json: 'text' })
}

function parse(command: BdCommand, words: readonly string[], path: readonly string[]) {
  const known = [...GLOBAL_FLAGS, ...command.flags] // where both use a name or a letter, the command's own counts
  const refused = { ...REFUSED_GLOBAL_FLAGS, ...command.refused }
  try {
    return parseFlags(words, known, spellingsOf(refused, command.refusedShort ?? {}))
  } catch (error) {
    if (error instanceof RefusedFlag) {
      throw new BdFailure(`bd ${command.name} --${error.flag} is not served by fleet`, {
        json: 'text',
        exitCode: 8,
        hint: refused[error.flag] ?? '',
      })
    }
    if (!(error instanceof FlagError)) throw error
    const names = known.filter((flag) => flag.hidden !== true).map((flag) => `--${flag.name}`)
    const near = error.problem.kind === 'unknown' ? nearest(error.problem.flag, names, 1) : []
    const hint = near.length > 0 ? `did you mean ${near[0]}?` : `'fleet bd ${path.join(' ')} --help' lists the flags`
    throw new BdFailure(error.message, { json: 'text', hint })
  }
}

function spellingsOf(
  refused: Readonly<Record<string, string>>,
  letters: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map([...Object.keys(refused).map((name) => [name, name] as const), ...Object.entries(letters)])
}

function explain(error: unknown, { json, envelope }: { json: boolean; envelope: boolean }): number {
  if (error instanceof BdFailure) {
    if (json && error.json !== 'text') {
      const text = errorJson(error.message, { envelope, ...(error.hint === undefined ? {} : { hint: error.hint }) })
      if (error.json === 'stdout') writeOut(text)
      else writeErr(text)
    } else writeErr(`${plain(`Error: ${error.message}${error.hint === undefined ? '' : `\nHint: ${error.hint}`}`)}\n`)
    return error.exitCode
  }
  // Without a home or a readable store the JSON error goes to stderr, as with bd.
  if (error instanceof AppError) {
    const { message, hint } = error
    return explain(new BdFailure(message, { json: 'stderr', ...(hint === undefined ? {} : { hint }) }), {
      json,
      envelope,
    })
  }
  throw error
}
