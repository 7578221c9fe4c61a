import { rfc3339 } from '../../domain/task/time.ts'
import type { Asked } from '../task-knowledge.ts'

export function questionsJson(asked: readonly Asked[]): Record<string, unknown>[] {
  return asked.map(({ question, title }) => {
    const { task, askedAt, text, options, suggestion, run } = question
    return { task, title, asked_at: rfc3339(askedAt), question: text, options, default: suggestion, run }
  })
}
