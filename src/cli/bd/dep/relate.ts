import { refusalText } from '../../render/dependency.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { exactly } from '../parts/arguments.ts'
import { resolveSaying } from '../parts/resolve.ts'

const TYPE = 'relates-to'

export const depRelate: BdCommand = {
  name: 'relate',
  summary: 'Create a bidirectional relates_to link between issues',
  usage: '<id1> <id2> [flags]',
  flags: [],
  async run(call) {
    const [id1, id2] = await pairOf(call)
    if (id1 === id2) throw new BdFailure('cannot relate an issue to itself', { json: 'text' })
    const edges = [
      { issue_id: id1, depends_on_id: id2, type: TYPE },
      { issue_id: id2, depends_on_id: id1, type: TYPE },
    ]
    const result = await call.store.addDependencies(edges, call.actor)
    if (result.kind === 'refused') {
      const { issue_id, depends_on_id } = result.edge
      const why = refusalText(result.edge, result.why)
      throw new BdFailure(`failed to add relates-to ${issue_id} -> ${depends_on_id}: ${why}`, { json: 'text' })
    }
    if (call.json) return call.answer({ id1, id2, related: true })
    call.print(`✓ Linked ${id1} ↔ ${id2}`)
  },
}

export const depUnrelate: BdCommand = {
  name: 'unrelate',
  summary: 'Remove a relates_to link between issues',
  usage: '<id1> <id2> [flags]',
  flags: [],
  async run(call) {
    const [id1, id2] = await pairOf(call)
    for (const [issue_id, depends_on_id] of [
      [id1, id2],
      [id2, id1],
    ] as const) {
      // Remove only `related` edges: unrelating must not remove a block.
      const edges = await call.store.edges([issue_id], 'down')
      if (edges.some((edge) => edge.depends_on_id === depends_on_id && edge.type === TYPE)) {
        await call.store.removeDependency({ issue_id, depends_on_id }, call.actor)
      }
    }
    if (call.json) return call.answer({ id1, id2, unrelated: true })
    call.print(`✓ Unlinked ${id1} ↔ ${id2}`)
  },
}

async function pairOf(call: BdCall): Promise<[string, string]> {
  const [first, second] = exactly(call, 2) as [string, string]
  const found = async (text: string) => {
    try {
      return await resolveSaying(call, text, `failed to resolve ${text}`)
    } catch (error) {
      if (!(error instanceof BdFailure)) throw error
      throw new BdFailure(error.message, { json: 'text', ...(error.hint === undefined ? {} : { hint: error.hint }) })
    }
  }
  return [await found(first), await found(second)]
}
