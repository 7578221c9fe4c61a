import type { Receipt } from '../domain/run/receipt.ts'
import { receiptText } from '../domain/run/receipt.ts'
import type { Run, RunRecords } from '../domain/run/run.ts'
import { isObject } from '../domain/task/settings.ts'
import { readEnd } from '../platform/files/attempt-folder.ts'
import { isTaken } from '../platform/files/folder.ts'
import { hashOfBeginning, sha256Of } from '../platform/files/hash-of-beginning.ts'
import type { Home } from '../platform/files/home.ts'
import type { Ledger } from '../ports/ledger.ts'
import { attemptFolder } from './task-file.ts'

/** Longer output is compared by nobody but the supervisor, when it judges the run. */
const MOST_HASHED = 8 << 20
const LONGEST_RECORD = 1 << 24

/**
 * The files of an ended attempt that are not as fleet left them, by comparison with the ledger. A file that is gone is not
 * named, except the receipt: old output may be removed to save space.
 */
export async function alteredFiles(home: Home, ledger: Ledger, run: Run): Promise<readonly string[]> {
  if (run.endedAt === null) return []
  const folder = attemptFolder(home.task(run.task), run.attempt)
  const records = ledger.recordsOf(run.id)
  const { receipt } = records
  if (receipt === undefined) return []
  const text = (name: string) => readEnd(`${folder}/${name}`, LONGEST_RECORD)
  const isOther = async (name: string, same: (path: string) => boolean | Promise<boolean>): Promise<string[]> =>
    isTaken(`${folder}/${name}`) && !(await same(`${folder}/${name}`)) ? [name] : []
  return [
    ...(text('receipt.json') === receiptText(receipt) ? [] : ['receipt.json']),
    ...(await isOther('launch.json', () => isLaunchRecord(text('launch.json') ?? '', ledger, run))),
    ...(await isOther('prompt.md', () => isPrompt(text('prompt.md') ?? '', records))),
    ...(await isOther('exit.json', () => isExit(text('exit.json') ?? '', receipt))),
    ...(await isOther('stdout.jsonl', (path) => isOutput(path, receipt))),
    ...records.letters.flatMap(({ name, sha256 }) =>
      sha256Of(text(`inbox/${name}`) ?? '') === sha256 ? [] : [`inbox/${name}`],
    ),
  ]
}

function isLaunchRecord(text: string, ledger: Ledger, { id }: Run): boolean {
  const known = ledger.seen(id).launch
  return known === undefined || sha256Of(text) === known
}

function isPrompt(text: string, { launch }: RunRecords): boolean {
  const record: unknown = launch === undefined ? undefined : JSON.parse(launch)
  return !isObject(record) || record['prompt_sha256'] === sha256Of(text)
}

function isExit(text: string, { evidence: { exit } }: Receipt): boolean {
  const [, code] = /^\{"code":(\d+)(?:,"key":"[\w-]+")?\}\n$/.exec(text) ?? []
  // Half a line was written by a wrapper that found the disk full.
  return exit.kind === 'unknown' || !text.endsWith('\n') || Number(code) === exit.code
}

async function isOutput(path: string, { evidence: { stdout } }: Receipt): Promise<boolean> {
  return stdout.bytes > MOST_HASHED || (await hashOfBeginning(path, stdout.bytes)) === stdout.sha256
}
