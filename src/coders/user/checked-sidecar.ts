import { isAbsolute } from 'node:path'
import type { Sidecar, SidecarPlace } from '../../ports/coder.ts'
import { fields, known, string, strings } from '../shared/fields.ts'
import { checkedEvents } from './checked-events.ts'

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
  const inEach = told?.['inEach'] === undefined ? undefined : string(told['inEach'])
  const names = [nameEnd, ...(told?.['inEach'] === undefined ? [] : [inEach])]
  const isPlace = names.every(isName) && folders.length > 0 && folders.every(isPath)
  return isPlace && nameEnd !== undefined ? { folders, nameEnd, ...known({ inEach }) } : undefined
}

function isName(name: string | undefined): boolean {
  return name !== undefined && name !== '' && name !== '..' && !/[/\0]/.test(name)
}

function isPath(folder: string): boolean {
  return isAbsolute(folder) && !folder.includes('\0')
}
