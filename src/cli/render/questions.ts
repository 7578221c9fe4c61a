import { moment } from '../../domain/text/moment.ts'
import { plainLine } from '../../domain/text/plain.ts'
import type { Asked } from '../../views/task-knowledge.ts'

/** One question for a person, with the command that answers it. */
export function questionLines({ question, title }: Asked, now: number): string[] {
  const { task, askedAt, text, options, suggestion } = question
  return [
    `${task}  ${plainLine(title)}  (asked ${moment(askedAt, now)})`,
    ...text.split('\n').map((line) => `  ${line}`),
    ...options.map((option, i) => `  ${i + 1}) ${plainLine(option)}`),
    ...(suggestion === null ? [] : [`  suggested: ${plainLine(suggestion)}`]),
    `  fleet answer ${task} ${options.length === 0 ? '"..."' : '<number or text>'}`,
  ]
}
