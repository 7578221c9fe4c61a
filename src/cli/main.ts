import { IN_SANDBOX, worksInSandbox } from '../domain/agent/outside-call.ts'
import { namesOtherCharset, withAsciiSigns } from '../domain/text/ascii.ts'
import { nearest } from '../domain/text/nearest.ts'
import { plain, printableJson } from '../domain/text/plain.ts'
import { AppError, EXIT } from '../errors.ts'
import { homeFrom } from '../platform/files/home.ts'
import { workingDirectory } from '../platform/files/paths.ts'
import { completeSearchPath } from '../platform/process/search-path.ts'
import { writeErr, writeOut } from '../platform/terminal/output.ts'
import type { Call, Command } from './command.ts'
import { type Flag, FlagError, parseFlags } from './flags.ts'
import { refuseInside } from './inside-run.ts'
import { COMMANDS, SHORT_FOR } from './registry.ts'

const GLOBAL_FLAGS: readonly Flag[] = [{ name: 'help', short: 'h', kind: 'switch', help: 'Help for this command' }]

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = expanded(argv)
  // `fleet help run start` and `fleet help bd create` are `--help` of these commands.
  if (name === 'help' && rest[0] !== undefined && !rest[0].startsWith('-')) return await main([...rest, '--help'])
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const { overview } = await import('./help.ts')
    shown(await overview())
    return name === undefined ? EXIT.usage : 0
  }
  if (name === '--version' || name === '-V' || name === '-v' || name === 'version') {
    const { version } = await import('../version.ts')
    writeOut(`fleet ${version}\n`)
    return 0
  }
  completeSearchPath(process.env)
  const world = { home: homeFrom(process.env), cwd: workingDirectory(process.env), env: process.env }
  if (process.env[IN_SANDBOX] !== undefined && !worksInSandbox(name)) {
    const { runOutside } = await import('./outside.ts')
    return await runOutside([name, ...rest], world)
  }
  // doctor says what to do about it.
  if (name !== 'doctor') world.home.refuseForeignRoot(process.env)
  if (name === 'bd') {
    const { runBd } = await import('./bd/dispatch.ts')
    return await runBd(rest, world)
  }
  let command = await load(name)
  const path = [name]
  let words = rest
  const sub = command.subcommands?.find((each) => each.name === rest[0])
  if (sub !== undefined) {
    command = sub
    path.push(sub.name)
    words = rest.slice(1)
  }
  const { flags, args } = await parse(command, words, path)
  if (flags.on('help')) {
    const { helpOf } = await import('./help.ts')
    shown(helpOf(command, path) + plain(command.helpHere?.(world.home) ?? ''))
    return 0
  }
  await refuseInside({ path, flags }, world)
  const call: Call = {
    ...world,
    flags,
    args,
    print: (line) => shown(`${plain(line)}\n`),
    show: ({ painted }) => shown(painted),
    warn: (line) => writeErr(signs(`${plain(line)}\n`)),
    answer: (value) => writeOut(`${printableJson(value, 2)}\n`),
  }
  return (await command.run(call)) ?? 0
}

/** Text for people; JSON documents and files for programs keep their characters. */
function shown(text: string): void {
  writeOut(signs(text))
}

const ascii = namesOtherCharset(process.env)

function signs(text: string): string {
  return ascii ? withAsciiSigns(text) : text
}

/** `fleet create` is short for `fleet bd create`. */
function expanded([name = '', ...rest]: readonly string[]): readonly string[] {
  return name === '' && rest.length === 0 ? [] : [...(SHORT_FOR[name] ?? [name]), ...rest]
}

async function load(name: string): Promise<Command> {
  const loader = COMMANDS.find((each) => each.name === name)
  if (loader !== undefined) return await loader.load()
  const parent = await parentOf(name)
  if (parent !== undefined) throw unknownCommand(name, `did you mean fleet ${parent} ${name}?`)
  const names = [...COMMANDS.map((each) => each.name), ...Object.keys(SHORT_FOR), 'bd', 'help', 'version']
  const near = nearest(name, names, 1)
  const help = 'fleet --help lists the commands'
  throw unknownCommand(name, near.length === 0 ? help : `did you mean fleet ${near[0]}? (${help})`)
}

function unknownCommand(name: string, hint: string): AppError {
  return new AppError('usage', `unknown command ${JSON.stringify(name)}`, { hint })
}

/** `fleet start` is most likely `fleet run start`. */
async function parentOf(name: string): Promise<string | undefined> {
  const commands = await Promise.all(COMMANDS.map((each) => each.load()))
  return commands.find(({ subcommands }) => subcommands?.some((each) => each.name === name))?.name
}

async function parse(command: Command, words: readonly string[], path: readonly string[]) {
  const known = [...command.flags, ...GLOBAL_FLAGS]
  try {
    return parseFlags(words, known)
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    const { flagProblem } = await import('./render/flag-problem.ts')
    const names = known.map((flag) => `--${flag.name}`)
    const near = error.problem.kind === 'unknown' ? nearest(error.problem.flag, names, 1) : []
    const help = `fleet ${path.join(' ')} --help lists the flags`
    throw new AppError('usage', flagProblem(error.problem), {
      hint: near.length === 0 ? help : `did you mean ${near[0]}? (${help})`,
    })
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    if (error instanceof AppError) {
      writeErr(signs(`${plain(`fleet: ${error.message}${error.hint === undefined ? '' : `\n  ${error.hint}`}`)}\n`))
      // bd has one exit code for every failure.
      process.exitCode = expanded(process.argv.slice(2))[0] === 'bd' ? EXIT.failed : error.exitCode
      return
    }
    // A bug: print the stack.
    writeErr(`${plain(`fleet: unexpected error\n${error instanceof Error ? error.stack : String(error)}`)}\n`)
    process.exitCode = EXIT.failed
  },
)
