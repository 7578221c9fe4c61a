import { isAbsolute } from 'node:path'
import type { Sidecar, SidecarPlace } from '../../ports/coder.ts'
import { fields, known, string, strings } from '../shared/fields.ts'
import { checkedEvents } from './checked-events.ts'

/** A sidecar from a user's module: an error counts as no answer, and every event is checked. */
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
    subagents(run) {
      try {
        return strings(made.subagents?.(run)).filter(isPath)
      } catch {
        return []
      }
    },
  }
}

/** Absolute folders, and a name without a path. */
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
