import { parseAst } from 'rolldown/parseAst'

/** A node of a syntax tree (ESTree). */
export interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Every node of this text, with the one that it is a part of. */
export function nodesIn(text: string, lang: 'js' | 'ts'): { readonly node: Node; readonly parent: Node | undefined }[] {
  const found: { node: Node; parent: Node | undefined }[] = []
  const visit = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, parent)
    else if (isNode(value)) {
      found.push({ node: value, parent })
      for (const field of Object.values(value)) visit(field, value)
    }
  }
  visit(parseAst(text, { lang }), undefined)
  return found
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
