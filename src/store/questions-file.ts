import { type AskedText, answerBelow, answerBlock, questionBlock } from '../domain/agent/questions-file.ts'
import type { Question } from '../domain/run/run.ts'
import { appendAgentFile, readAgentFile } from '../platform/files/agent-file.ts'
import type { Attempts } from '../ports/attempts.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Questions } from '../ports/questions.ts'

/** `Q&A.md` among the artifacts. The ledger is the truth; people and agents read and write the file. */

const READ_AT_MOST = 1 << 20

/** The Q&A.md files of a home, as a supervisor uses them. */
export function homeQuestions(ledger: Ledger, attempts: Pick<Attempts, 'artifacts'>): Questions {
  return {
    asked: (task, question) => appendQuestion(attempts.artifacts(task), question),
    answered: (task, answer) => appendAnswer(attempts.artifacts(task), answer),
    takeInAnswer: (task) => {
      takeInHandAnswer(ledger, task, { artifacts: attempts.artifacts(task), at: Date.now() })
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
 * Takes an answer that a person wrote below the last question, instead of calling `fleet answer`, into the ledger. Only for
 * a task that a person has opened again: agents write the file too, and silence is no consent.
 */
export function takeInHandAnswer(
  ledger: Ledger,
  task: string,
  more: { artifacts: string; at: number },
): Question | undefined {
  if (!ledger.questionsOf(task).some((question) => question.answeredAt === null)) return undefined
  const text = answerBelow(readAgentFile(questionsFile(more.artifacts), READ_AT_MOST))
  return text === undefined ? undefined : ledger.answer(task, { text, by: 'hand', at: more.at })
}

function add(artifacts: string, blockFor: (content: string) => string): void {
  const path = questionsFile(artifacts)
  const text = blockFor(readAgentFile(path, READ_AT_MOST))
  if (text !== '') appendAgentFile(path, text)
}

function questionsFile(artifacts: string): string {
  return `${artifacts}/Q&A.md`
}
