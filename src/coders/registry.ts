import { ownEntry } from '../domain/text/own-entry.ts'
import type { Coder } from '../ports/coder.ts'
import { agyDescriptor } from './agy/descriptor.ts'
import { claudeDescriptor } from './claude/descriptor.ts'
import { codexDescriptor } from './codex/descriptor.ts'
import type { CoderDescriptor } from './descriptor.ts'
import { geminiDescriptor } from './gemini/descriptor.ts'
import { opencodeDescriptor } from './opencode/descriptor.ts'
import { shellDescriptor } from './shell/descriptor.ts'

/** The coders fleet can run, in the order people see. */
export const CODERS: readonly CoderDescriptor[] = [
  claudeDescriptor,
  codexDescriptor,
  agyDescriptor,
  opencodeDescriptor,
  geminiDescriptor,
  shellDescriptor,
]

/** The coder of a task where neither the task nor runtime.toml names one. */
export const DEFAULT_CODER = claudeDescriptor.name

/** The coder that runs the script of a task, without a model. */
export const SCRIPT_CODER = shellDescriptor.name

const BY_NAME: Readonly<Record<string, CoderDescriptor>> = Object.fromEntries(
  CODERS.map((coder) => [coder.name, coder]),
)

export function coderNames(): readonly string[] {
  return CODERS.map((coder) => coder.name)
}

export function descriptorOf(name: string): CoderDescriptor | undefined {
  return ownEntry(BY_NAME, name)
}

/** Formats of output that fleet reads, as `coders.<name>.format` names them: one for each coder that is a program. */
export function outputFormats(): readonly string[] {
  return [...CODERS.filter((coder) => coder.program !== undefined).map((coder) => coder.name), 'text']
}

/** CPU milliseconds of one start, for a coder without a measurement. */
const USUAL_START_MS = 500

export function startCost(name: string): number {
  return descriptorOf(name)?.startCostMs ?? USUAL_START_MS
}

/** undefined: fleet has no coder of this name. */
export async function coderFor(name: string): Promise<Coder | undefined> {
  return await descriptorOf(name)?.load()
}
