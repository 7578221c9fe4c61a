import { readdirSync, readFileSync } from 'node:fs'

/**
 * The children of a process whose command line contains this text. It reads /proc, as launchers need it anyway: a machine
 * with Node and git only may have no `ps`. Without /proc there are none.
 */
export function childrenWith(text: string, parent: number): number[] {
  return processIds().filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      // The name, in parentheses, may hold anything.
      const [, parentOf] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(parentOf) === parent && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
    } catch {
      return false // It has just ended.
    }
  })
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
