/** The options in a waits-for edge's metadata, as numbers for the store. Edges can be imported, so the metadata may not be JSON. */
export function gateOf(metadata: string | undefined): { readonly anyChild: number; readonly alsoBlocks: number } {
  const { gate, also_blocks: also } = fieldsOf(metadata)
  return {
    anyChild: gate === 'any-children' ? 1 : 0,
    alsoBlocks: also === true || also === 1 || also === 'true' ? 1 : 0,
  }
}

function fieldsOf(text: string | undefined): { readonly gate?: unknown; readonly also_blocks?: unknown } {
  try {
    const value: unknown = JSON.parse(text || '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
