import { acceptAnswer, type DecidedAnswer, revertAnswer } from '../../actions/decide-answer.ts'
import { acceptTaskEdit, revertTaskEdit } from '../../actions/decide-task-edit.ts'
import { actorFrom } from '../../app.ts'
import { SETTING_NAMES, type TaskSettings } from '../../domain/task/settings.ts'
import { visibleLine } from '../../domain/text/plain.ts'
import type { Call } from '../command.ts'
import { refuseInside } from '../inside-run.ts'

/** The decisions that a person can make about an edit of task.json that was made while agents ran. */
export const DECISIONS = {
  accept: 'take in an edit of its task.json, or an answer in its Q&A.md, that was made while agents ran',
  revert: 'undo that edit; the edited file is kept as <file>.refused',
} as const

export type DecisionName = keyof typeof DECISIONS

export function isDecision(name: string): name is DecisionName {
  return Object.hasOwn(DECISIONS, name)
}

export async function decideTaskEdit(call: Call, task: string, name: DecisionName): Promise<void> {
  const { home, flags, env, print, answer } = call
  await refuseInside({ path: ['task', name], flags }, call)
  const ofAnswer = await (name === 'accept' ? acceptAnswer : revertAnswer)({
    home,
    task,
    by: actorFrom(env, undefined),
  })
  if (ofAnswer !== undefined) return tellAnswer(call, name, ofAnswer)
  const decide = name === 'accept' ? acceptTaskEdit : revertTaskEdit
  const decided = await decide({ home, task, by: actorFrom(env, undefined) })
  const { change, keptAs } = decided
  if (flags.on('json')) {
    const decision = name === 'accept' ? 'accepted' : 'reverted'
    answer({ schema_version: 1, task: decided.task, decision, change: change ?? null, kept_as: keptAs ?? null })
    return
  }
  for (const line of changeLines(change)) print(line)
  const kept = keptAs === undefined ? '' : `; the edited file is ${keptAs}`
  print(
    name === 'accept'
      ? `Accepted: ${decided.task} has these settings now.`
      : `Reverted: ${decided.task} keeps its settings${kept}.`,
  )
}

function tellAnswer({ flags, print, answer }: Call, name: DecisionName, decided: DecidedAnswer): void {
  const { task, text, answered, keptAs } = decided
  if (flags.on('json')) {
    const decision = name === 'accept' ? 'accepted' : 'reverted'
    answer({ schema_version: 1, task, decision, answer: text ?? null, kept_as: keptAs ?? null })
    return
  }
  for (const line of (text ?? '').split('\n')) print(`  ${visibleLine(line)}`)
  if (name === 'revert') {
    print(`Reverted: the question of ${task} is open${keptAs === undefined ? '' : `; the edited file is ${keptAs}`}.`)
  } else if (answered === undefined) print(`${task}: there is no answer in its Q&A.md any more.`)
  else
    print(
      `Accepted: that is the answer to the question of ${task}${answered.kind === 'reopened' ? ', which is open again' : ''}.`,
    )
}

function changeLines(change: TaskSettings | undefined): readonly string[] {
  return SETTING_NAMES.flatMap((name) => {
    const value = change?.[name]
    return value === undefined
      ? []
      : [value === '' ? `  no ${name}` : `  ${name} ${value.split('\n').map(visibleLine).join('\\n')}`]
  })
}
