import type { Question } from '../../domain/run.ts'
import { plainLine } from './plain.ts'

/** One question as a person reads it, with what they type to answer it. */
export function questionLines({ question, title }: { question: Question; title: string }): string[] {
  const { task, askedAt, text, options, suggestion } = question
  const asked = new Date(askedAt).toISOString().slice(0, 16).replace('T', ' ')
  return [
    `${task}  ${plainLine(title)}  (asked ${asked} UTC)`,
    ...text.split('\n').map((line) => `  ${line}`),
    ...options.map((option) => `  - ${plainLine(option)}`),
    ...(suggestion === null ? [] : [`  suggested: ${plainLine(suggestion)}`]),
    `  fleet answer ${task} "..."`,
  ]
}
