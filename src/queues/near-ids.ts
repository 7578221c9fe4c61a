import { nearest } from '../domain/text/nearest.ts'

/** Compares without the prefix: all ids share it, so it says nothing about which one was meant. */
export function nearIds(part: string, ids: readonly string[], prefix: string): string[] {
  const byPart = new Map(ids.map((id) => [id.startsWith(`${prefix}-`) ? id.slice(prefix.length + 1) : id, id]))
  return nearest(part, byPart.keys()).map((near) => byPart.get(near) as string)
}
