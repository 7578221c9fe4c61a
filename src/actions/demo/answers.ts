import { plainLine } from '../../domain/text/plain.ts'
import { openQuestions } from '../../views/questions.ts'
import { answerTask } from '../answer.ts'
import type { DemoPlace } from './demo-home.ts'

/** A question of the demo's agents, and the answer that the demo gave. */
export interface GivenAnswer {
  readonly task: string
  readonly question: string
  readonly options: readonly string[]
  readonly answer: string
}

/** Answers every question that has been open for `afterMs`, with its first option, as a person would. */
export async function answerForPerson({ home }: DemoPlace, afterMs: number): Promise<readonly GivenAnswer[]> {
  const given: GivenAnswer[] = []
  for (const { question } of await openQuestions(home)) {
    if (Date.now() - question.askedAt < afterMs) continue
    const answer = question.options[0] ?? 'as you think best'
    await answerTask({ home, by: 'demo' }, { task: question.task, text: answer })
    given.push({ task: question.task, question: plainLine(question.text), options: question.options, answer })
  }
  return given
}
