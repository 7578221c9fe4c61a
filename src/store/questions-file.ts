import { type AskedText, answerBelow, answerBlock, questionBlock } from '../domain/agent/questions-file.ts'
import { type ChangedFile, decisionText } from '../domain/fleet/home-file.ts'
import type { Question } from '../domain/run/run.ts'
import { fingerprint } from '../domain/text/fingerprint.ts'
import { appendAgentFile, entryKind, putAside, readAgentFile } from '../platform/files/agent-file.ts'
import type { HomeRecord } from '../platform/sqlite/home-record.ts'
import type { Attempts } from '../ports/attempts.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Questions } from '../ports/questions.ts'
import { isHeld, recordedQuestions, runsAtChange } from './held-edit.ts'

/** `Q&A.md` among the artifacts. The ledger is the truth; people and agents read and write the file. */

const READ_AT_MOST = 1 << 20

export interface HomeQuestionsParts {
  readonly ledger: Ledger
  readonly attempts: Pick<Attempts, 'artifacts'>
  readonly record: HomeRecord
  /** Called once for each answer that waits for a person. */
  noticed(change: ChangedFile): void
}

/** The Q&A.md files of a home, as a supervisor uses them. */
export function homeQuestions({ ledger, attempts, record, noticed }: HomeQuestionsParts): Questions {
  return {
    asked: (task, question) => appendQuestion(attempts.artifacts(task), question),
    answered: (task, answer) => appendAnswer(attempts.artifacts(task), answer),
    takeInAnswer(task) {
      if (!isLastQuestionOpen(ledger, task)) return undefined
      const artifacts = attempts.artifacts(task)
      const name = recordedQuestions(task)
      const text = handAnswer(artifacts)
      if (text === undefined) {
        if (record.isPending(name)) record.decide(name, 'withdrawn')
        return undefined
      }
      const path = questionsFile(artifacts)
      if (!isHeld({ name, path }, record)) {
        ledger.answer(task, { text, by: 'hand', at: Date.now() })
        return undefined
      }
      const change = { path: name, noticedAt: Date.now(), runs: runsAtChange(path, record) }
      const mark = fingerprint(text)
      if (record.noteChange({ path: name, mark, at: change.noticedAt, runs: change.runs })) noticed(change)
      return `an answer was written into its Q&A.md while agents ran, one of which may have done it: ${decisionText(change)}`
    },
  }
}

/** After the question went into the ledger. A second call changes nothing. */
export function appendQuestion(artifacts: string, asked: AskedText): void {
  add(artifacts, (content) => questionBlock(content, asked))
}

/** After the answer went into the ledger. */
export function appendAnswer(artifacts: string, answer: { text: string; at: number }): void {
  add(artifacts, (content) => answerBlock(content, answer))
}

/**
 * The answer that somebody wrote below the last question, instead of calling `fleet answer`. It counts only for a task that a
 * person has opened again: agents write the file too, and silence is no consent.
 */
export function handAnswer(artifacts: string): string | undefined {
  return answerBelow(readAgentFile(questionsFile(artifacts), READ_AT_MOST))
}

/** The answer is read below the last question: if that one is answered, the text there is fleet's own. */
function isLastQuestionOpen(ledger: Ledger, task: string): boolean {
  return ledger.questionsOf(task).at(-1)?.answeredAt === null
}

/** Writes the file as fleet knows it, and keeps the one that was there as Q&A.md.refused. */
export function rewriteQuestions(artifacts: string, questions: readonly Question[]): string | undefined {
  const path = questionsFile(artifacts)
  const aside = `${path}.refused`
  const isKept = entryKind(path) === 'file'
  putAside(path, aside)
  for (const question of questions) {
    const { text, options, suggestion, askedAt, answer, answeredAt } = question
    appendQuestion(artifacts, { text, options, suggestion, at: askedAt })
    if (answer !== null) appendAnswer(artifacts, { text: answer, at: answeredAt ?? 0 })
  }
  return isKept ? aside : undefined
}

function add(artifacts: string, blockFor: (content: string) => string): void {
  const path = questionsFile(artifacts)
  const text = blockFor(readAgentFile(path, READ_AT_MOST))
  if (text !== '') appendAgentFile(path, text)
}

function questionsFile(artifacts: string): string {
  return `${artifacts}/Q&A.md`
}
