import { hash } from 'node:crypto'

/** A unique folder name for each remote that people still recognise. */
export function cloneName(remote: string): string {
  const last = remote.replace(/[/:]+$/, '').replace(/\.git$/, '')
  const word = (/[^/:]*$/.exec(last)?.[0] ?? '').replace(/[^\w.-]/g, '').replace(/^[.-]+/, '')
  return `${word.slice(0, 40) || 'repository'}-${hash('sha256', remote).slice(0, 10)}`
}
