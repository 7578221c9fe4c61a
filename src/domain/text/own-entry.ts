/** Looks up only own keys: a person may type a name that every object inherits, such as `constructor`. */
export function ownEntry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
