/**
 * Sixteen hex digits that change when the text does: FNV-1a, twice with different beginnings. Against accidents, not
 * against anybody who wants two texts to look alike; node:crypto would cost every command that needs it 8 ms.
 */
export function fingerprint(text: string): string {
  return [0x811c9dc5, 0x2b3d4f61].map((start) => fnv(text, start).toString(16).padStart(8, '0')).join('')
}

function fnv(text: string, start: number): number {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
