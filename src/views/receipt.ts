import { openHomeStore } from '../app.ts'
import { type Receipt, receiptText } from '../domain/run/receipt.ts'
import { readEnd } from '../platform/files/attempt-folder.ts'
import type { Home } from '../platform/files/home.ts'
import { findTask } from './find-task.ts'
import { attemptFolder, type FileText } from './task-file.ts'

export interface ReceiptRead extends FileText {
  readonly receipt: Receipt
  /** Of its task, when the run began. */
  readonly title: string
  /** The damage to its file since the attempt ended; undefined: none. The text is the ledger's in any case. */
  readonly file: 'altered' | 'gone' | undefined
}

/** Enough for any receipt. */
const LONGEST = 1 << 24

/**
 * The receipt of an attempt as the ledger has it: the agent that made the attempt can write to the file. undefined: the ledger
 * has none, because the attempt is not over, was made elsewhere, or an older fleet made it.
 */
export async function receiptInLedger(
  home: Home,
  { task: text, attempt }: { task: string; attempt: number | undefined },
): Promise<ReceiptRead | undefined> {
  await using store = await openHomeStore(home, { readOnly: true })
  const { id } = await findTask(store.queue, text)
  const runs = store.ledger.runsOf(id)
  const run = attempt === undefined ? runs.at(-1) : runs.find((each) => each.attempt === attempt)
  const receipt = run && store.ledger.recordsOf(run.id).receipt
  if (run === undefined || receipt === undefined) return undefined
  const path = `${attemptFolder(home.task(id), run.attempt)}/receipt.json`
  const known = receiptText(receipt)
  const found = readEnd(path, LONGEST)
  const file = found === known ? undefined : found === undefined ? 'gone' : 'altered'
  return {
    task: id,
    name: 'receipt',
    path,
    text: known,
    receipt,
    title: run.title,
    file,
  }
}
