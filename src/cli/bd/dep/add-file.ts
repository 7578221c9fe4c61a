import { canonicalType } from '../../../domain/task/dependency.ts'
import type { NewDependency } from '../../../ports/queue.ts'
import { alreadyChild, refusalText, wrongType } from '../../render/dependency.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { resolveSaying } from '../parts/resolve.ts'
import { warningOfRunning } from '../parts/warn-running.ts'
import { targetOf, warnElsewhere } from './add.ts'

interface FileEdge extends NewDependency {
  readonly line: number
}

/** Reports every error in the file at once; then adds nothing. */
export async function addFromFile(call: BdCall, type: string): Promise<void> {
  const path = call.flags.text('file') ?? ''
  const mistakes: string[] = []
  const typed = edgesIn(textOf(call, path), type, mistakes)
  refuseIfAny(mistakes)
  const edges = await resolved(call, typed, mistakes)
  refuseIfAny(mistakes)
  if (edges.length === 0) throw new BdFailure('no dependency edges found')
  const result = await warningOfRunning(call, () => call.store.addDependencies(edges, call.actor))
  if (result.kind === 'refused') throw new BdFailure(refusalText(result.edge, result.why))
  for (const on of new Set(edges.map((edge) => edge.depends_on_id))) await warnElsewhere(call, on)
  if (!call.json) return call.print(`✓ Added ${edges.length} dependencies`)
  const dependencies = edges.map(({ depends_on_id, issue_id, type }) => ({ depends_on_id, issue_id, type }))
  call.answer({ count: edges.length, dependencies, status: 'added' })
}

function textOf(call: BdCall, path: string): string {
  try {
    return call.readInput(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new BdFailure(`open dependency file: open ${path}: no such file or directory`)
  }
}

function refuseIfAny(mistakes: readonly string[]): void {
  if (mistakes.length > 0) throw new BdFailure(`bulk dependency validation failed:\n  ${mistakes.join('\n  ')}`)
}

function edgesIn(text: string, defaultType: string, mistakes: string[]): FileEdge[] {
  const edges: FileEdge[] = []
  text.split('\n').forEach((source, i) => {
    if (source.trim() === '') return
    const before = mistakes.length
    const wrong = (why: string) => mistakes.push(`line ${i + 1}: ${why}`)
    const given = objectIn(source, wrong)
    if (given === undefined) return
    const word = (...names: string[]) =>
      names.map((name) => textIn(given, name, wrong)).find((each) => each !== '') ?? ''
    const [issue_id, depends_on_id] = [word('from', 'issue_id'), word('to', 'depends_on_id')]
    const type = canonicalType(word('type') || defaultType)
    if (mistakes.length === before) {
      if (issue_id === '') wrong('missing from')
      if (depends_on_id === '') wrong('missing to')
      const unknown = wrongType(type)
      if (unknown !== undefined) wrong(unknown)
    }
    if (mistakes.length === before) edges.push({ line: i + 1, issue_id, depends_on_id, type })
  })
  return edges
}

function objectIn(source: string, wrong: (why: string) => void): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(source)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    wrong('invalid JSON: expected an object')
  } catch (error) {
    wrong(`invalid JSON: ${(error as Error).message}`)
  }
  return undefined
}

function textIn(given: Record<string, unknown>, name: string, wrong: (why: string) => void): string {
  const value = given[name] ?? ''
  if (typeof value === 'string') return value.trim()
  wrong(`${name} is not a string`)
  return ''
}

async function resolved(call: BdCall, edges: readonly FileEdge[], mistakes: string[]): Promise<NewDependency[]> {
  const found: NewDependency[] = []
  for (const { line, issue_id: from, depends_on_id: to, type } of edges) {
    try {
      const issue_id = await resolveSaying(call, from, `resolving issue ID ${from}: resolving issue ID ${from}`)
      const edge = { issue_id, depends_on_id: await targetOf(call, issue_id, to), type }
      const child = alreadyChild(edge)
      if (child !== undefined) throw new BdFailure(child)
      found.push(edge)
    } catch (error) {
      if (!(error instanceof BdFailure)) throw error
      mistakes.push(`line ${line}: ${error.message}`)
    }
  }
  return found
}
