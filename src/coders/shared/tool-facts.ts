import { isWordToFleet } from '../../domain/agent/word-to-fleet.ts'
import type { ToolKind } from '../../domain/run/event.ts'
import { firstLine } from '../../domain/text/bounded.ts'
import { type Fields, fields, SHORT, string, strings } from './fields.ts'

export interface ToolFacts {
  paths?: readonly string[]
  command?: string
  cwd?: string
  toFleet?: true
}

/** The parameters that name the file that a tool writes, for the tools of all coders. */
const WRITTEN = ['file_path', 'filePath', 'notebook_path', 'absolute_path', 'path', 'TargetFile', 'target_file']
/** A patch, which names its files itself. */
const PATCHES = ['patchText', 'patch', 'input', 'diff']
const COMMANDS = ['command', 'CommandLine', 'cmd']
/** The directory that a command runs in. */
const DIRECTORIES = ['workdir', 'cwd', 'Cwd', 'dir_path', 'directory']

/** Paths of one call; a longer one is left out, because a part of it would be another path. */
const MOST_PATHS = 100
const LONGEST = 4096
const LONGEST_PATCH = 1 << 20
const LONGEST_COMMAND = 1 << 16

/** Which files a call writes, its whole command, and whether it only speaks to fleet. */
export function toolFacts(kind: ToolKind, input: Fields | undefined): ToolFacts | undefined {
  if (input === undefined) return undefined
  if (kind === 'edit') return pathFacts(writtenBy(input))
  if (kind !== 'shell') return undefined
  return commandFacts(firstOf(input, COMMANDS), firstOf(input, DIRECTORIES))
}

/** The names of tools that write what they name, in the calls that a coder tells its hooks. */
const WRITES =
  /^(write|edit|multiedit|notebookedit|apply_patch|mcp__.*(write|edit|create|delete|remove|move|patch).*)$/i

/** What a call of a hook writes, as far as it says so. */
export function hookedCall(tool: string, input: unknown): { paths?: readonly string[]; command?: string } {
  const given = fields(input)
  if (given === undefined) return {}
  const command = firstOf(given, COMMANDS)
  if (!WRITES.test(tool)) return command === undefined ? {} : { command }
  // codex hands a patch over as a command.
  return pathFacts([...writtenBy(given), ...patched(command)]) ?? {}
}

function firstOf(input: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => string(input[name])).find((value) => value !== undefined)
}

export function commandFacts(command: string | undefined, directory?: string): ToolFacts | undefined {
  if (isWordToFleet(command)) return { toFleet: true }
  const isWhole = command === undefined || command === firstLine(command, SHORT)
  const cwd = directory === '' || (directory?.length ?? 0) > LONGEST ? undefined : directory
  if (isWhole && cwd === undefined) return undefined
  return { ...(!isWhole && { command: command.slice(0, LONGEST_COMMAND) }), ...(cwd !== undefined && { cwd }) }
}

export function pathFacts(found: readonly (string | undefined)[]): ToolFacts | undefined {
  const paths = found.filter((path) => path !== undefined && path !== '' && path.length <= LONGEST) as string[]
  return paths.length === 0 ? undefined : { paths: paths.slice(0, MOST_PATHS) }
}

function writtenBy(input: Fields): (string | undefined)[] {
  const named = WRITTEN.map((name) => string(input[name]))
  return [...named, ...strings(input['paths']), ...PATCHES.flatMap((name) => patched(string(input[name])))]
}

const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm

function patched(patch: string | undefined): string[] {
  if (patch === undefined || patch.length > LONGEST_PATCH || !patch.includes('*** ')) return []
  return [...patch.matchAll(PATCHED)].map(([, path = '']) => path)
}
