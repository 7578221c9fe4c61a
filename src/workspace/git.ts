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
  /** Not in HEAD. */
  readonly isNew?: boolean
  /** Than in HEAD, which has it too. */
  readonly hasOtherMode?: boolean
}

/** `git status --porcelain=v2 -z --no-renames`. Records of unknown kinds are left out. */
export function statusPaths(text: string): DirtyPath[] {
  const reader = statusReader()
  reader.take(Buffer.from(text))
  return reader.paths()
}

/** The same of an output that comes in pieces: the first `most` paths. */
export function statusReader(most = Number.POSITIVE_INFINITY): { take(bytes: Uint8Array): void; paths(): DirtyPath[] } {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const found: DirtyPath[] = []
  let rest = ''
  let isOldName = false
  const add = (record: string): void => {
    if (isOldName) {
      isOldName = false
      return
    }
    const fields = FIELDS_BEFORE_PATH[record[0] ?? '']
    isOldName = record[0] === '2'
    if (fields === undefined || found.length >= most) return
    const words = record.split(' ')
    const path = words.slice(fields).join(' ')
    const tracked = record[0] !== '?'
    if (path !== '') found.push({ path, tracked, submodule: tracked ? (words[2] ?? '') : '', ...modesIn(words) })
  }
  return {
    take(bytes) {
      const records = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\0')
      rest = records.pop() ?? ''
      for (const record of records) add(record)
    },
    paths: () => found,
  }
}

/** Of an ordinary entry: the modes in HEAD and in the directory. */
function modesIn([kind, , , inHead = '', , here = '']: readonly string[]): Partial<DirtyPath> {
  if (kind !== '1') return {}
  return { isNew: inHead === NO_MODE, hasOtherMode: inHead !== here && inHead !== NO_MODE && here !== NO_MODE }
}

const NO_MODE = '000000'

const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 }
