/** A value as one line of TOML. TOML has the same escapes as JSON, except that it must escape DEL too. */
export function tomlValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)} = ${tomlValue(each)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
