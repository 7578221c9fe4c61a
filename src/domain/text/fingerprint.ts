/**
 * Sixteen hex digits that change when the text does: FNV-1a with two different seeds. Good against accidental collisions,
 * not against deliberate ones. node:crypto would add 8 ms to every command that needs a fingerprint.
 */
export function fingerprint(text: string): string {
  return [0x811c9dc5, 0x2b3d4f61].map((start) => fnv(text, start).toString(16).padStart(8, '0')).join('')
}

function fnv(text: string, start: number): number {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
