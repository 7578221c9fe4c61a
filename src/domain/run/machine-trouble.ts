/**
 * Whether a run could not begin because of the machine or because of its task, by the system's error. Trouble of the machine
 * would meet every other task as well, so it is no attempt: the task is open again, and claiming waits until it is over.
 */
export interface BeginTrouble {
  /** The system's name of the error; undefined: it is no error of the system. */
  readonly code: string | undefined
  /** `directory`: entering the task's own one; `process`: making one; `files`: anything else. */
  readonly step: 'files' | 'directory' | 'process'
  /** Whether fleet can make files beside those of this task. Asked only if that decides. */
  homeIsWritable(): boolean
}

/** No room, no descriptors, no processes, no memory left, or a disk that fails: no agent can cause it for one task alone. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'EAGAIN',
  'ENOMEM',
  'EROFS',
  'EIO',
  'ESTALE',
])

/** An agent can cause these in the folder of its own task, and a person for the whole home. */
const OF_A_PLACE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR'])

export function isOfTheMachine({ code, step, homeIsWritable }: BeginTrouble): boolean {
  // Arguments that are too long are the task's.
  if (step === 'process') return code !== 'E2BIG'
  if (code === undefined) return false
  if (OF_THE_MACHINE.has(code)) return true
  return step === 'files' && OF_A_PLACE.has(code) && !homeIsWritable()
}
