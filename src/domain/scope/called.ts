import { isAbsolute, join } from 'node:path'
import type { CoderEvent } from '../run/event.ts'
import { type CallBounds, type Refusal, refusalsOf, type SeenFiles } from './judge-call.ts'

/** The tool calls of a run that left its bounds, as its output tells of them, and those that a hook refused. */
export interface Called {
  /** Once a call was judged. */
  judging: Judging | undefined
  /** Not ended yet, by the id of the call. */
  readonly open: Map<string, readonly Refusal[]>
  /** They ended well: the first ones, and how many. */
  readonly outside: Refusal[]
  outsideCount: number
  readonly refused: RefusedCall[]
  refusedCount: number
}

/** `what`: the file or the command. */
export interface RefusedCall {
  readonly tool: string
  readonly what: string
  readonly why: string
}

const MOST = 100

export function newCalled(): Called {
  return { judging: undefined, open: new Map(), outside: [], outsideCount: 0, refused: [], refusedCount: 0 }
}

export interface Judging {
  readonly bounds: CallBounds
  readonly files: SeenFiles
  readonly cwd: string
  /** A shell call that does not say where it runs runs there. Otherwise its relative paths may be any. */
  readonly startsInCwd: boolean
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Changes in the project are found in the project. Of what lies elsewhere only the calls tell, so what is sure of them counts:
 * a deletion outside, a push, what no task may change, and files outside that a tool itself names. A call that failed is taken
 * to have done nothing.
 */
export function foldCall(called: Called, event: CoderEvent, judging: () => Judging): void {
  if (event.type === 'tool-started') {
    if (event.toFleet === true || (event.kind !== 'shell' && event.kind !== 'edit')) return
    called.judging ??= judging()
    const { bounds, files, variables } = called.judging
    const place = { variables, cwd: placeOf(event, called.judging) }
    const command = event.kind === 'shell' ? (event.command ?? event.detail) : undefined
    const call = { ...place, ...(event.paths && { paths: event.paths }), ...(command !== undefined && { command }) }
    const found = refusalsOf(bounds, call, files).filter(
      ({ kind, isElsewhere }) => COUNTS.has(kind) || (kind === 'scope' && isElsewhere && event.kind === 'edit'),
    )
    if (found.length > 0 && called.open.size < MOST) called.open.set(event.id, found)
  } else if (event.type === 'tool-ended') {
    const found = called.open.get(event.id) ?? []
    called.open.delete(event.id)
    if (event.failed) return
    for (const refusal of found) if (called.outsideCount++ < MOST) called.outside.push(refusal)
  }
}

function placeOf({ kind, cwd }: Extract<CoderEvent, { type: 'tool-started' }>, judging: Judging): string | undefined {
  if (kind !== 'shell') return judging.cwd
  if (cwd === undefined) return judging.startsInCwd ? judging.cwd : undefined
  return isAbsolute(cwd) ? cwd : join(judging.cwd, cwd)
}

const COUNTS: ReadonlySet<Refusal['kind']> = new Set(['deletes', 'pushes', 'protected'])

export function noteRefused(called: Called, { tool, what, why }: RefusedCall): void {
  if (called.refusedCount++ < MOST) called.refused.push({ tool, what, why })
}
