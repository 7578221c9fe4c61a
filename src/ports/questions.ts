import type { AskedText } from '../domain/agent/questions-file.ts'

/** `Q&A.md` of each task, where people and agents read questions and answers. The ledger is the truth, and comes first. */
export interface Questions {
  /** Appends a question. Asking again changes nothing. */
  asked(task: string, question: AskedText): void
  /** Appends an answer that was given on another machine. */
  answered(task: string, answer: { readonly text: string; readonly at: number }): void
  /**
   * Records in the ledger the answer that a person wrote below the open question, if there is one. Returns why it is not
   * taken in: it was written while agents ran, and a person has to decide.
   */
  takeInAnswer(task: string): string | undefined
}
