import type { SupervisorPlace } from '../../domain/fleet/supervisor-place.ts'
import type { Proc } from '../../domain/run/run.ts'
import { inodeOf } from '../files/inode.ts'
import { ownNamespaces } from './own-namespaces.ts'
import { procOf } from './proc-of.ts'

/** This process as the supervisor of a home. */
export function supervisorPlace(home: string, launcher: number | undefined): SupervisorPlace {
  return {
    folder: inodeOf(home),
    proc: procOf(process.pid) as Proc,
    launcher: launcher === undefined ? null : procOf(launcher),
    namespaces: ownNamespaces() ?? null,
  }
}
