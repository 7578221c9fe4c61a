import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Proc } from '../../domain/run/run.ts'
import { AppError } from '../../errors.ts'
import { beginningOf } from '../files/beginning-of.ts'
import { explainFile, writeProjection } from '../files/files.ts'
import { copyIndex, isPlainFile, move } from '../files/folder.ts'
import { procOf } from '../process/proc-of.ts'
import { isSame } from '../process/run-group.ts'
import { hostName } from '../runtime/machine.ts'
import type { Checkout } from './checkout.ts'

/** The text that fleet writes into the lock of an index while it moves a checkout from one commit to another. */
export interface LockMark {
  readonly task: string
  readonly target: string
  readonly from: string
  readonly to: string
  /** Nothing of a person was in the way when the lock was taken. Until then no file was changed. */
  readonly isClear: boolean
  readonly host: string
  /** The supervisor, and the git that changes files. */
  readonly by: Proc | null
  readonly git: Proc | null
}

/**
 * The lock of an index, as git itself takes it: while fleet holds it, no other git changes the index or switches the branch.
 * A lock that a killed supervisor left says what was under way.
 */
export class IndexLock {
  readonly path: string
  /** A copy of the index, in which a git that fleet starts writes. */
  readonly copy: string
  readonly #index: string
  #mark: LockMark
  #isHeld = true

  private constructor({ gitFolder }: Checkout, mark: LockMark) {
    this.#index = join(gitFolder, 'index')
    this.path = lockOf(gitFolder)
    this.copy = join(gitFolder, COPY)
    this.#mark = mark
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  get mark(): LockMark {
    return this.#mark
  }

  /** undefined: it is taken. */
  static take(checkout: Checkout, what: Pick<LockMark, 'task' | 'target' | 'from' | 'to'>): IndexLock | undefined {
    const mark = { ...what, isClear: false, host: hostName(), by: procOf(process.pid), git: null }
    const lock = new IndexLock(checkout, mark)
    try {
      writeFileSync(lock.path, textOf(mark), { flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
      rmSync(lock.path, { force: true })
      throw explainFile(error, lock.path)
    }
    return lock
  }

  /** Takes over the lock of a supervisor that is dead, as is its git. */
  static takeOver(checkout: Checkout, mark: LockMark): IndexLock {
    const lock = new IndexLock(checkout, mark)
    lock.note({ by: procOf(process.pid), git: null, host: hostName() })
    return lock
  }

  note(change: Partial<LockMark>): void {
    this.#mark = { ...this.#mark, ...change }
    writeProjection(this.path, textOf(this.#mark))
  }

  /** The git that changes files. On a full disk it runs without being noted: only a kill of both could confuse a later one. */
  noteGit(pid: number): void {
    try {
      this.note({ git: procOf(pid) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  /** A fresh copy of the index. A repository without an index has none. */
  copyIndex(): void {
    this.#removeCopy()
    try {
      if (isPlainFile(this.#index)) copyIndex(this.#index, this.copy)
    } catch (error) {
      throw explainFile(error, this.copy)
    }
  }

  /** The copy becomes the index, and the lock is released, as at the end of a git that took it. */
  publish(): void {
    if (isPlainFile(this.copy)) move(this.copy, this.#index)
    this.release()
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#removeCopy()
    rmSync(this.path, { force: true })
  }

  #removeCopy(): void {
    for (const path of [this.copy, `${this.copy}.lock`]) rmSync(path, { force: true })
  }
}

const COPY = 'fleet-index'

export type LockState =
  | { readonly kind: 'free' }
  /** Another program's, or one that cannot be read. */
  | { readonly kind: 'foreign'; readonly path: string }
  /** Of a fleet that is at work, or may be, because it runs on another machine. */
  | { readonly kind: 'held'; readonly path: string; readonly mark: LockMark }
  /** Of a fleet that was killed. */
  | { readonly kind: 'left'; readonly mark: LockMark }

/** The caller has no lock of this index itself. */
export function lockState({ gitFolder }: Checkout): LockState {
  const path = lockOf(gitFolder)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { kind: 'free' }
  const mark = markIn(beginningOf(path, MARK_BYTES) ?? '')
  if (mark === undefined) return { kind: 'foreign', path }
  const mayWork = mark.host !== hostName() || [mark.by, mark.git].some((each) => each !== null && isAtWork(each))
  return mayWork ? { kind: 'held', path, mark } : { kind: 'left', mark }
}

/** This process itself would know. */
function isAtWork(proc: Proc): boolean {
  return proc.pid !== process.pid && isSame(proc)
}

function lockOf(gitFolder: string): string {
  return join(gitFolder, 'index.lock')
}

const MARK_BYTES = 16_384
const FIRST_LINE = 'fleet is updating this checkout, and removes this file itself'

function textOf(mark: LockMark): string {
  return `${FIRST_LINE}\n${JSON.stringify(mark)}\n`
}

function markIn(text: string): LockMark | undefined {
  const [first, second] = text.split('\n')
  if (first !== FIRST_LINE || second === undefined) return undefined
  try {
    const mark = JSON.parse(second) as LockMark
    return COMMIT.test(mark.from) && COMMIT.test(mark.to) && typeof mark.target === 'string' ? mark : undefined
  } catch {
    return undefined
  }
}

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/
