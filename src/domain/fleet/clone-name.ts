import { hash } from 'node:crypto'

/** A folder name of its own for each remote, which people still recognise. */
export function cloneName(remote: string): string {
  const last = remote.replace(/[/:]+$/, '').replace(/\.git$/, '')
  const word = (/[^/:]*$/.exec(last)?.[0] ?? '').replace(/[^\w.-]/g, '').replace(/^[.-]+/, '')
  return `${word.slice(0, 40) || 'repository'}-${hash('sha256', remote).slice(0, 10)}`
}
