import { type Execution, whyNotEnded } from '../platform/process/exec.ts'

/** The output of a command that succeeded; undefined: it failed. */
export function outputOf(run: Execution): string | undefined {
  return run.kind === 'ended' && run.code === 0 ? run.out.toString('utf8') : undefined
}

export function whyFailed(run: Execution): string {
  if (run.kind !== 'ended') return `git ${whyNotEnded(run)}`
  return `git ended with ${run.code}: ${run.err.trim().split('\n')[0] ?? ''}`
}

export interface DirtyPath {
  readonly path: string
  /** `S…` for a submodule, with what changed in it; `R…` for another repository inside, with its commit. */
  readonly submodule: string
  readonly tracked: boolean
  /** Absent: the status does not tell it. A file that differs from an index that differs from HEAD may be as it is in HEAD. */
  readonly sinceHead?: Difference
}

/** Of a tracked path from a commit. */
export interface Difference {
  readonly isNew: boolean
  /** Than in the commit, which has it too. */
  readonly hasOtherMode: boolean
}

/** `git status --porcelain=v2 -z --no-renames`. Records of unknown kinds are left out. */
export function statusPaths(text: string): DirtyPath[] {
  const reader = statusReader()
  reader.take(Buffer.from(text))
  return reader.paths()
}

export interface StatusReader {
  take(bytes: Uint8Array): void
  paths(): DirtyPath[]
  /** The commit that they were compared with, with `--branch`; undefined: there is none yet. */
  head(): string | undefined
}

/** The same of an output that comes in pieces: the first `most` paths. */
export function statusReader(most = Number.POSITIVE_INFINITY): StatusReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const found: DirtyPath[] = []
  let rest = ''
  let isOldName = false
  let head: string | undefined
  const add = (record: string): void => {
    if (isOldName) {
      isOldName = false
      return
    }
    head ??= /^# branch\.oid ([0-9a-f]+)$/.exec(record)?.[1]
    const fields = FIELDS_BEFORE_PATH[record[0] ?? '']
    isOldName = record[0] === '2'
    if (fields === undefined || found.length >= most) return
    const words = record.split(' ')
    const path = words.slice(fields).join(' ')
    const tracked = record[0] !== '?'
    if (path !== '') found.push({ path, tracked, submodule: tracked ? (words[2] ?? '') : '', ...difference(words) })
  }
  return {
    take(bytes) {
      const records = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\0')
      rest = records.pop() ?? ''
      for (const record of records) add(record)
    },
    paths: () => found,
    head: () => head,
  }
}

/** Of an ordinary entry that is no submodule, with the modes in HEAD and in the directory. */
function difference(words: readonly string[]): Pick<DirtyPath, 'sinceHead'> {
  const [kind, states = '', submodule, inHead = '', , here = ''] = words
  if (kind !== '1' || submodule !== 'N...' || !PLAIN.has(states)) return {}
  const hasOtherMode = inHead !== here && inHead !== NO_MODE && here !== NO_MODE
  return { sinceHead: { isNew: inHead === NO_MODE, hasOtherMode } }
}

/** The state in the index, and that in the directory: one of the two is the same as before. */
const PLAIN: ReadonlySet<string> = new Set(['M.', '.M', 'A.', 'D.', '.D'])

const NO_MODE = '000000'

const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 }
