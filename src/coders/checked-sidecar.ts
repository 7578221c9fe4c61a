import { isAbsolute } from 'node:path'
import type { Sidecar, SidecarPlace } from '../ports/coder.ts'
import { checkedEvents } from './checked-events.ts'
import { fields, string, strings } from './fields.ts'

/** A sidecar as somebody else's code made it: what it cannot say is not there, and what it tells is checked line by line. */
export function checkedSidecar(made: Sidecar, file: string): Sidecar {
  return {
    place(run) {
      try {
        return checkedPlace(made.place(run))
      } catch {
        return undefined
      }
    },
    reader(run) {
      let read: ReturnType<Sidecar['reader']> | undefined
      return (line) =>
        checkedEvents(line, `${file}: sidecar.reader`, (each) => {
          read ??= made.reader(run)
          return read(each)
        })
    },
  }
}

/** Folders from the root on, and a name that stays in them. */
function checkedPlace(made: unknown): SidecarPlace | undefined {
  const told = fields(made)
  const folders = strings(told?.['folders'])
  const nameEnd = string(told?.['nameEnd'])
  const isPlace = nameEnd !== undefined && !/[/\0]/.test(nameEnd) && folders.length > 0 && folders.every(isPath)
  return isPlace ? { folders, nameEnd } : undefined
}

function isPath(folder: string): boolean {
  return isAbsolute(folder) && !folder.includes('\0')
}
