import type { AddDependencyResult, NewDependency } from './queue.ts'

/** Thrown to undo a whole creation or change; the command line turns it into a sentence. */
export class DependencyRefused extends Error {
  readonly edge: NewDependency
  readonly result: AddDependencyResult

  constructor(edge: NewDependency, result: AddDependencyResult) {
    super(`dependency ${edge.issue_id} -> ${edge.depends_on_id} refused: ${result.kind}`)
    this.name = 'DependencyRefused'
    this.edge = edge
    this.result = result
  }
}
