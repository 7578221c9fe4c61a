import type { Attention, Way } from '../../domain/fleet/attention.ts'
import { changedText, decisionText } from '../../domain/fleet/home-file.ts'
import { modelText } from '../../domain/fleet/refused-model.ts'
import { moment, upcoming } from '../../domain/text/moment.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import type { Column } from './table.ts'

/** The things that need a person, each with its remedy. */
export function attentionColumns(now: number): Column<Attention>[] {
  return [
    { title: 'What', weight: 9, cell: ({ kind }) => ({ text: WHAT[kind], style: 'yellow' }) },
    {
      title: 'Which',
      weight: 10,
      cell: (each) => ({ text: 'task' in each ? each.task : 'lane' in each ? each.lane : '' }),
    },
    { title: 'Why', weight: 8, least: 12, cell: (each) => ({ text: attentionText(each, now) }) },
    { title: 'What to do', weight: 7, cell: (each) => ({ text: remedy(each), style: 'dim' }) },
  ]
}

const WHAT: Record<Attention['kind'], string> = {
  changed: 'changed',
  supervisor: 'stopped',
  paused: 'paused',
  configuration: 'config',
  machine: 'machine',
  lane: 'lane',
  cap: 'lane',
  model: 'model',
  unreviewed: 'review',
  question: 'question',
  blocked: 'blocked',
}

function attentionText(each: Attention, now: number): string {
  switch (each.kind) {
    case 'changed':
      return changedText({ path: each.file })
    case 'supervisor':
      return each.running === 0 ? 'no supervisor is running' : 'no supervisor is running; the agents keep running'
    case 'paused':
      return `nothing new is started: paused by ${each.by} at ${moment(each.at, now)}`
    case 'configuration':
      return each.text
    case 'machine':
      return each.text
    case 'lane': {
      const until = each.until === null ? '' : `, resumes ${upcoming(each.until, now)}`
      return `${each.state}${each.state === 'paused' ? until : ''}${each.reason === '' ? '' : `: ${each.reason}`}`
    }
    case 'cap': {
      const why = each.reason === '' ? '' : `, because of: ${each.reason}`
      return `at most ${each.cap} at once for now, ${each.running} at work${why}`
    }
    case 'model':
      return `${modelText(each.model)} is not accepted: ${each.reason}`
    case 'unreviewed':
      return `${each.project}: ${pluralize(each.waiting, 'task')} ${each.waiting === 1 ? 'waits' : 'wait'} for a review, so no more are started (max_unreviewed is ${each.most})`
    case 'question': {
      const numbered = each.options.map((option, i) => `${i + 1}) ${option}`)
      const options = numbered.length === 0 ? '' : ` [${numbered.join(' | ')}]`
      return `${each.text}${options}${each.suggestion === null ? '' : ` (suggests: ${each.suggestion})`}`
    }
    case 'blocked':
      return `${each.title}: ${each.reason}`
  }
}

function remedy(each: Attention): string {
  switch (each.kind) {
    case 'changed':
      return decisionText({ path: each.file })
    case 'supervisor':
      return 'fleet run'
    case 'paused':
      return 'fleet resume'
    case 'machine':
      return 'fix it; claiming goes on by itself'
    case 'configuration':
      return 'fix it (fleet config show --raw)'
    case 'lane':
      return each.state === 'down' ? 'fix it, then fleet resume' : 'wait, or fleet resume to try it now'
    case 'cap':
      return 'nothing: each that gets an answer makes room for one more'
    case 'model':
      return 'choose another model, or fleet resume to try it again'
    case 'unreviewed':
      return 'fleet review'
    case 'question':
      return `fleet answer ${each.task} ${each.options.length === 0 ? '"..."' : '<number>'}`
    case 'blocked':
      return WAY_ON[each.way](each.task)
  }
}

export const WAY_ON: Readonly<Record<Way, (task: string) => string>> = {
  resume: (task) => `fleet resume ${task}`,
  retry: (task) => `fleet retry ${task}`,
  land: (task) => `fleet land ${task}`,
  review: (task) => `fleet review ${task}`,
  approve: (task) => `fleet approve ${task}, or fleet retry ${task}`,
  decide: (task) => `fleet bd close ${task}`,
  script: (task) => `fleet bd update ${task} --command '<script>', then fleet retry ${task}`,
  directory: (task) => `fleet bd update ${task} --cwd <directory>, then fleet retry ${task}`,
  settings: (task) => `fix its task.json, then fleet retry ${task}`,
  model: (task) => `fleet bd update ${task} --model <model>, then fleet retry ${task}`,
  permissions: (task) => `change the permissions, then fleet retry ${task}`,
}
