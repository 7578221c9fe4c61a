import { join } from 'node:path'
import {
  appendLines,
  attemptFolder,
  linkTo,
  makeFolder,
  readEnd,
  removeFolder,
  writePrivate,
} from '../platform/attempt-folder.ts'
import { readText } from '../platform/files.ts'
import { type Home, privateDirectory } from '../platform/home.ts'
import { archive, collect } from '../platform/inbox.ts'
import { openTail, type Tail } from '../platform/tail.ts'
import type { Attempts, Stream } from '../ports/attempts.ts'

/** `tasks/<id>/…` of a home, as product pages describe it. */
export function homeAttempts(home: Home): Attempts {
  const folder = (task: string, attempt: number) => attemptFolder(home.task(task), attempt)
  const artifacts = (task: string) => join(home.task(task), 'artifacts')
  return {
    make(task, attempt) {
      const base = home.task(task)
      for (const each of [base, artifacts(task), join(base, 'inbox'), join(base, 'attempts')]) makeFolder(each)
      makeFolder(folder(task, attempt))
      makeFolder(join(folder(task, attempt), 'tmp'))
    },
    folder,
    artifacts,
    taskFolder: (task) => home.task(task),
    temporary: (task, attempt) => join(folder(task, attempt), 'tmp'),
    ownFolder(task) {
      const path = join(home.task(task), 'work')
      privateDirectory(path)
      return path
    },
    write: (task, attempt, name, content) => writePrivate(join(folder(task, attempt), name), content),
    read: (task, attempt, name) => readText(join(folder(task, attempt), name)),
    stderrTail: (task, attempt) => readEnd(join(folder(task, attempt), 'stderr.log'), 4096) ?? '',
    project(task, { attempt, failures }) {
      writePrivate(join(home.task(task), '.failures'), `${failures}\n`)
      linkTo(join('attempts', String(attempt), 'stderr.log'), join(home.task(task), 'log.stderr'))
    },
    follow: (task, attempt) => streamOf(join(folder(task, attempt), 'stdout.jsonl')),
    eventsUpTo: (task, run) => lastOffset(readEnd(join(home.task(task), 'events.jsonl'), 1 << 20) ?? '', run),
    appendEvents: (task, lines) => appendLines(join(home.task(task), 'events.jsonl'), lines),
    appendLog: (task, lines) => appendLines(join(home.task(task), 'log.jsonl'), lines),
    letters(task, attempt, run) {
      const collected = collect(home.task(task), run)
      archive(home.task(task), attempt, collected)
      return collected.letters
    },
    tidy: (task, attempt) => removeFolder(join(folder(task, attempt), 'tmp')),
  }
}

/** Opened at the first look: an agent that has come and gone meanwhile costs one. */
function streamOf(path: string): Stream {
  let tail: Tail | undefined
  let altered = false
  let before = 0
  return {
    read(take) {
      tail ??= openTail(path)
      if (tail === undefined) return false
      const result = tail.read(take)
      altered ||= result.kind === 'altered'
      before = tail.offset
      return result.kind === 'read' && result.more
    },
    get bytes() {
      return tail?.offset ?? before
    },
    sha256: () => tail?.hash() ?? '',
    altered: () => altered,
    close() {
      tail?.close()
    },
  }
}

/** Of the last whole line of that run. */
function lastOffset(text: string, run: string): number {
  for (const line of text.split('\n').reverse()) {
    if (!line.includes(run)) continue
    try {
      const { at, run: of } = JSON.parse(line)
      if (of === run && typeof at === 'number') return at
    } catch {
      // A line that a crash left half, or the first one of the portion.
    }
  }
  return -1
}
