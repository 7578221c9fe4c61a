import { blocksOf } from '../domain/agent/questions-file.ts'
import type { Question } from '../domain/run/run.ts'
import type { TaskSettings } from '../domain/task/settings.ts'
import { AppError } from '../errors.ts'
import { readAgentFile } from '../platform/files/agent-file.ts'
import { entryAt, isTaken, makeFolder, move, namesIn } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { readTaskFile } from '../store/task-file.ts'

/** The state of a task according to its folder, in a home whose store is new. */
export interface LeftTask {
  readonly settings: TaskSettings
  /** Counted failures. */
  readonly failures: number
  /** The number of the last attempt that has a folder here. */
  readonly attempts: number
  /** From Q&A.md, oldest first; only the last one can be open. */
  readonly questions: readonly Question[]
  /** Files that count as absent because they cannot be read: `/home/tasks/a/.failures: it is a link` */
  readonly unread: readonly string[]
}

const READ_AT_MOST = 1 << 20

/** `since`: when the task last changed, for questions without a time. */
export function leftTask(home: Home, id: string, since: number): LeftTask {
  const folder = home.task(id)
  const unread: string[] = []
  /** One odd file of an agent must not keep all other tasks from being taken over. */
  const usable = <T>(read: () => T, otherwise: T): T => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      unread.push(error.message.replace(' was left alone:', ':'))
      return otherwise
    }
  }
  const failures = Number.parseInt(
    usable(() => readAgentFile(`${folder}/.failures`, 100), ''),
    10,
  )
  const attempts = usable(() => namesIn(requireFolder(`${folder}/attempts`)), [])
    .map(Number)
    .filter(Number.isInteger)
  const questions = usable(() => readQuestions(`${folder}/artifacts`), '')
  return {
    settings: usable(() => readTaskFile(home, id)?.settings ?? {}, {}),
    failures: failures > 0 ? failures : 0,
    attempts: Math.max(0, ...attempts),
    questions: questionsIn(id, questions, since),
    unread,
  }
}

function readQuestions(artifacts: string): string {
  const text = readAgentFile(`${artifacts}/Q&A.md`, READ_AT_MOST)
  if (text === '') requireFolder(artifacts)
  return text
}

/** Or nothing at all. */
function requireFolder(path: string): string {
  if (entryAt(path)?.kind === 'file') throw new AppError('failed', `${path}: it is not a directory`)
  return path
}

/** Pairs each question with everything that stands below it. */
export function questionsIn(task: string, text: string, since: number): Question[] {
  const questions: Question[] = []
  for (const block of blocksOf(text)) {
    const last = questions.at(-1)
    if (block.kind === 'Q') {
      questions.push(asked(task, { n: questions.length + 1, text: block.text, at: timeOf(block.at) ?? since }))
    } else if (last !== undefined) {
      const answer = last.answer === null ? block.text : `${last.answer}\n\n${block.text}`
      questions[questions.length - 1] = { ...last, answer, answeredAt: timeOf(block.at) ?? since, answeredBy: 'hand' }
    }
  }
  return questions
}

/** Its run is not in the ledger; the number keeps a second reading of the file from asking again. */
export function asked(task: string, { n, text, at }: { n: number; text: string; at: number }): Question {
  return {
    id: 0,
    task,
    run: `question-${n}`,
    askedAt: at,
    text,
    options: [],
    suggestion: null,
    answeredAt: null,
    answeredBy: null,
    answer: null,
  }
}

function timeOf(written: string): number | undefined {
  const time = Date.parse(written)
  return Number.isNaN(time) ? undefined : time
}

/** Files that this fleet writes in another form. */
const OTHER_FORM = ['task.json', 'log.jsonl', 'log.stderr', 'events.jsonl', 'attempts', 'inbox']

/** Moves the records of the Python fleet into a folder of their own. Artifacts stay where agents look for them. */
export function setRecordsAside(home: Home, id: string, { failures }: LeftTask): void {
  const folder = home.task(id)
  const aside = `${folder}/python-fleet`
  for (const name of [...OTHER_FORM, ...(failures === 0 ? ['.failures'] : [])]) {
    if (!isTaken(`${folder}/${name}`) || isTaken(`${aside}/${name}`)) continue
    makeFolder(aside)
    move(`${folder}/${name}`, `${aside}/${name}`)
  }
}
