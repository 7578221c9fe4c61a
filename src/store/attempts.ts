import { dirname } from 'node:path'
import { partsOfRun, TASK_PARTS } from '../domain/run/damage.ts'
import { agentFileStamp, readIfFile } from '../platform/files/agent-file.ts'
import {
  appendLines,
  attemptFolder,
  createPrivate,
  linkTo,
  makeFolder,
  makeNewFolder,
  readEnd,
  removeFolder,
  replacePrivate,
} from '../platform/files/attempt-folder.ts'
import { fileStamp } from '../platform/files/files.ts'
import { eachFolder, fileEndingIn, filesSeenIn, isRealFolder, isTaken, removeAll } from '../platform/files/folder.ts'
import { sizeUnlessEmpty } from '../platform/files/folder-size.ts'
import { hashOfBeginning } from '../platform/files/hash-of-beginning.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { archive, type Collected, collect, isUntouched, makeInbox } from '../platform/files/inbox.ts'
import { mend } from '../platform/files/mend.ts'
import { unpack } from '../platform/files/packed.ts'
import { canWrite } from '../platform/files/permissions.ts'
import { forgetShortFolder, makeShortFolder, shortFolder } from '../platform/files/short-folder.ts'
import { openTail, type Tail } from '../platform/files/tail.ts'
import { oncePerTurn } from '../platform/runtime/once-per-turn.ts'
import type { Attempts, Printed, Stream, TakenLetters } from '../ports/attempts.ts'

/** The files under `tasks/<id>/` of a home; the guide documents them. */
export function homeAttempts(home: Home): Attempts {
  const folder = (task: string, attempt: number) => attemptFolder(home.task(task), attempt)
  // A turn writes many files, and is over at once.
  const requireThere = oncePerTurn(() => home.requireThere())
  /** For writing, which makes missing folders again: never those of a home that was moved. */
  const there = (task: string, attempt?: number): string => {
    requireThere()
    return attempt === undefined ? home.task(task) : folder(task, attempt)
  }
  const artifacts = (task: string) => `${home.task(task)}/artifacts`
  const temporary = (task: string, attempt: number) => `${folder(task, attempt)}/tmp`
  /** The stamp of each inbox when it was last read. */
  const inboxStamps = new Map<string, string>()
  return {
    make(task, attempt) {
      requireThere()
      makeNewFolder(folder(task, attempt))
      // Of a task that has rested for long.
      if (attempt > 1) unpack(`${home.task(task)}/events.jsonl`)
      makeShortFolder(temporary(task, attempt))
      makeFolder(artifacts(task))
      makeInbox(home.task(task))
    },
    mend(task, of) {
      const parts = of === undefined ? TASK_PARTS : partsOfRun(of)
      return mend({ tasks: home.tasks, folder: home.task(task), parts })
    },
    isReachable: () => canWrite(home.tasks),
    folder,
    artifacts,
    taskFolder: (task) => home.task(task),
    temporary: (task, attempt) => shortFolder(temporary(task, attempt)),
    ownFolder(task) {
      const path = `${home.task(task)}/work`
      requireThere()
      makeFolder(path)
      privateDirectory(path)
      return path
    },
    part(task, attempt, name) {
      const path = `${folder(task, attempt)}/${name}`
      makeNewFolder(path)
      return path
    },
    isPart: (task, attempt, name) => isRealFolder(`${folder(task, attempt)}/${name}`),
    removeParts(task, attempt, names) {
      const path = folder(task, attempt)
      // Behind a link that an agent made, the same names are a person's.
      const above = [home.task(task), dirname(path), path]
      if (above.every(isRealFolder)) for (const name of names) removeAll(`${path}/${name}`)
    },
    partTail(task, attempt, name) {
      const ends = ['stderr.log', 'stdout.jsonl'].map((file) =>
        readEnd(`${folder(task, attempt)}/${name}/${file}`, 4096),
      )
      return ends.find((text = '') => text.trim() !== '') ?? ''
    },
    create: (task, attempt, name, content) => createPrivate(`${there(task, attempt)}/${name}`, content),
    replace: (task, attempt, name, content) => replacePrivate(`${there(task, attempt)}/${name}`, content),
    read: (task, attempt, name) => readIfFile(`${folder(task, attempt)}/${name}`, RECORD_LIMIT),
    has: (task, attempt, names) => names.some((name) => isTaken(`${folder(task, attempt)}/${name}`)),
    stderrTail: (task, attempt, how) => readEnd(`${folder(task, attempt)}/stderr.log`, 4096, how) ?? '',
    project(task, { attempt, failures }) {
      const write = attempt === 1 ? createPrivate : replacePrivate
      write(`${there(task)}/.failures`, `${failures}\n`)
      linkTo(`attempts/${attempt}/stderr.log`, `${home.task(task)}/log.stderr`)
    },
    follow: (task, attempt, file) => streamOf(`${folder(task, attempt)}/stdout.jsonl`, file),
    followBeside({ folders, inEach, nameEnd }) {
      for (const folder of inEach === undefined ? folders : folders.flatMap((each) => eachFolder(each, inEach))) {
        const path = fileEndingIn(folder, nameEnd)
        if (path !== undefined) return streamOf(path)
      }
      return undefined
    },
    filesIn: filesSeenIn,
    hashOfStdout: (task, attempt, bytes) => hashOfBeginning(`${folder(task, attempt)}/stdout.jsonl`, bytes),
    recordedAt: (task, attempt) => agentFileStamp(`${folder(task, attempt)}/launch.json`)?.changedAt,
    printed: (task, attempt) => printedIn(`${folder(task, attempt)}/stdout.jsonl`),
    complained: (task, attempt) => printedIn(`${folder(task, attempt)}/stderr.log`),
    eventsUpTo: (task, run) => lastOffset(readEnd(`${home.task(task)}/events.jsonl`, 1 << 20) ?? '', run),
    eventBytes: (task) => printedIn(`${home.task(task)}/events.jsonl`)?.bytes ?? 0,
    appendEvents: (task, lines) => appendLines(`${there(task)}/events.jsonl`, lines),
    appendLog: (task, lines) => appendLines(`${there(task)}/log.jsonl`, lines),
    letters({ task, attempt, id: run, letterCheck: check }, { last }) {
      if (last) inboxStamps.delete(task)
      if (isUntouched(home.task(task))) return NO_LETTERS
      const stamp = fileStamp(`${home.task(task)}/inbox`)
      // File times are too coarse to prove that nothing came, so the last read always happens.
      if (!last && inboxStamps.get(task) === stamp) return NO_LETTERS
      if (!last) inboxStamps.set(task, stamp)
      const collected = collect(home.task(task), run, { check })
      archive(home.task(task), attempt, collected)
      return takenFrom(collected)
    },
    oldLetters: ({ task, attempt, id, letterCheck: check }) => takenFrom(collect(folder(task, attempt), id, { check })),
    async leftInTemporary(task, attempt) {
      const left = await sizeUnlessEmpty(shortFolder(temporary(task, attempt)))
      if (left === undefined) forgetShortFolder(temporary(task, attempt))
      return left
    },
    async removeTemporary(task, attempt) {
      await removeFolder(shortFolder(temporary(task, attempt)))
      forgetShortFolder(temporary(task, attempt))
    },
  }
}

const NO_LETTERS: TakenLetters = { letters: [], forged: [] }

function takenFrom({ letters, refused }: Collected): TakenLetters {
  return { letters, forged: refused.flatMap(({ forged }) => forged ?? []) }
}

function printedIn(path: string): Printed | undefined {
  const file = agentFileStamp(path)
  return file?.isFile !== true ? undefined : { bytes: file.size, at: Math.round(file.writtenAt) }
}

/** For launch records and receipts: an agent could make them any size. */
const RECORD_LIMIT = 1 << 24

/** Opened at the first read, so a run that has already ended costs one open. */
function streamOf(path: string, file?: string): Stream {
  let tail: Tail | undefined
  let altered = false
  let before = 0
  return {
    read(take) {
      tail ??= openTail(path, file)
      if (tail === undefined) return false
      const result = tail.read(take)
      altered ||= result.kind === 'altered'
      before = tail.offset
      return result.kind === 'read' && result.more
    },
    get bytes() {
      return tail?.offset ?? before
    },
    size: () => tail?.size() ?? 0,
    changedAt: () => printedIn(path)?.at,
    sha256: () => tail?.hash() ?? '',
    altered: () => altered,
    close() {
      tail?.close()
    },
  }
}

/** The source offset of the run's last complete line; -1: none. */
function lastOffset(text: string, run: string): number {
  for (const line of text.split('\n').reverse()) {
    if (!line.includes(run)) continue
    try {
      const { at, run: of } = JSON.parse(line)
      if (of === run && typeof at === 'number') return at
    } catch {
      // A line that a crash cut short, or the partial first line of what was read.
    }
  }
  return -1
}
