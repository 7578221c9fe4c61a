/** A table's own entry: what a person types may also be the name of something every object inherits (`constructor`). */
export function ownEntry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
