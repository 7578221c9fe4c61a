import type { Task } from '../task/task.ts'
import type { Question } from './run.ts'

/** What an agent is told. Every word is paid for by every agent, so it says each thing once. */
export interface PromptInput {
  readonly task: Pick<Task, 'id' | 'title' | 'description' | 'design' | 'acceptance_criteria' | 'notes'>
  readonly cwd: string
  readonly taskDir: string
  readonly artifactDir: string
  /** 1 for the first. */
  readonly attempt: number
  /** Where the last attempt ran, if that was another machine. */
  readonly previousMachine?: string
  /** true: the coder goes on with its session, which has the task and the protocol already. */
  readonly resumed: boolean
  /** Why the last attempt ended; of a claim that fell short, what the supervisor saw of it. */
  readonly previous?: string
  /** Of this task, oldest first. */
  readonly questions: readonly Question[]
  readonly blockers: readonly Blocker[]
}

/** A settled task that this one waited for. */
export interface Blocker {
  readonly id: string
  readonly title: string
  /** In the words of the agent that did it. */
  readonly summary: string
  /** Absolute paths of what it left. */
  readonly artifacts: readonly string[]
  /** Where it ran, if that was another machine: what it left is there. */
  readonly machine?: string
}

export function promptFor(input: PromptInput): string {
  return `${(input.resumed ? resumedSections(input) : freshSections(input)).filter((part) => part !== '').join('\n\n')}\n`
}

function freshSections(input: PromptInput): string[] {
  const { task } = input
  const whole = `fleet bd show ${task.id}`
  return [
    `# Task ${task.id}: ${line(task.title)}`,
    bounded(task.description, 40_000, whole),
    section('Design', bounded(task.design, 20_000, whole)),
    section('Acceptance criteria', bounded(task.acceptance_criteria, 20_000, whole)),
    section('Notes', bounded(task.notes, 20_000, whole)),
    section('Done before this task', blockersText(input.blockers)),
    section('Why the last attempt ended', previousText(input)),
    section('Answers', answersText(input)),
    section('Not answered', unansweredText(input)),
    section('How you work here', protocol(input)),
  ]
}

function resumedSections(input: PromptInput): string[] {
  const { task } = input
  return [
    `You go on with task ${task.id}: ${line(task.title)} (attempt ${input.attempt}).`,
    section('Why the last attempt ended', previousText(input)),
    section('Answers', answersText(input)),
    section('Not answered', unansweredText(input)),
    `Look at the state of your work and at PLAN_AND_STATUS.md in ${input.artifactDir} first. The rules are as before: finish with fleet done "<summary>", ask with fleet ask "<question>", and stop after either.`,
  ]
}

function protocol({ cwd, artifactDir, ...input }: PromptInput): string {
  const earlier = earlierText(input)
  return `You are on your own in ${cwd}: nobody watches, nobody replies. What you keep is in ${artifactDir} ($FLEET_ARTIFACT_DIR); it outlives you, and another attempt may have to go on from it.${earlier}

1. Read PLAN_AND_STATUS.md, KNOWLEDGE.md and Q&A.md there, where they exist, and go on from them.
2. Before your first edit, write PLAN_AND_STATUS.md: the steps, and how you will check each. Keep it true while you work. What others must know goes into KNOWLEDGE.md.
3. Do this task only. Other work that you discover becomes a task: fleet bd create "<title>" -d "<what and why>".
4. Output that is no part of the project (reports, data) goes into the same folder.
5. What only a person can decide: fleet ask "<question>" [--option <answer>]..., then stop at once; you will go on with the answer. Do not guess.
6. When it is really done, and you have checked it: fleet done "<what you changed, how you checked it>", then stop. The supervisor looks for your changes itself; words without work come back to you. Ending without fleet done or fleet ask counts as a failure. fleet note "<text>" tells people something meanwhile.`
}

function earlierText({
  attempt,
  taskDir,
  previousMachine,
}: Pick<PromptInput, 'attempt' | 'taskDir' | 'previousMachine'>): string {
  if (attempt <= 1) return ''
  if (previousMachine === undefined)
    return ` This is attempt ${attempt}; what was done before is in ${taskDir}/events.jsonl.`
  return ` This is attempt ${attempt}; the one before was made on another machine, ${line(previousMachine)}, and what it kept is there.`
}

function section(title: string, text: string): string {
  return text === '' ? '' : `## ${title}\n${text}`
}

function previousText({ previous = '', task }: PromptInput): string {
  return bounded(previous, 4000, `fleet show ${task.id}`)
}

const MAX_QUESTIONS = 10

function answersText({ questions, artifactDir }: PromptInput): string {
  return questions
    .filter((question) => question.answer !== null)
    .slice(-MAX_QUESTIONS)
    .map(({ text, answer }) => {
      const rest = `${artifactDir}/Q&A.md`
      return `Q: ${bounded(text, 4000, rest)}\nA: ${bounded(answer ?? '', 8000, rest)}`
    })
    .join('\n\n')
}

/** Somebody let it go on without a word. Silence is no consent. */
function unansweredText({ questions, artifactDir }: PromptInput): string {
  const open = questions.filter((question) => question.answer === null).slice(-MAX_QUESTIONS)
  if (open.length === 0) return ''
  const asked = open.map(({ text }) => `Q: ${bounded(text, 4000, `${artifactDir}/Q&A.md`)}`)
  const what = open.length === 1 ? 'this' : 'these'
  return `${asked.join('\n')}\nNobody has answered ${what}. Decide yourself only what either answer would be right for; otherwise ask again.`
}

const MAX_BLOCKERS = 20
const MAX_ARTIFACTS = 20

/** Another agent wrote the summaries, so they are quoted: words to weigh, not to obey. */
function blockersText(blockers: readonly Blocker[]): string {
  if (blockers.length === 0) return ''
  const told = blockers.slice(0, MAX_BLOCKERS).map(({ id, title, summary, artifacts, machine }) => {
    const files = artifacts.slice(0, MAX_ARTIFACTS).map((path) => `  left ${line(path)}`)
    const elsewhere = machine === undefined ? '' : `  ran on another machine, ${line(machine)}: what it left is there`
    return [`- ${id}: ${line(title)}`, quoted(bounded(summary, 2000, `fleet bd show ${id}`)), ...files, elsewhere]
      .filter((text) => text !== '')
      .join('\n')
  })
  const more = blockers.length - told.length
  return [...told, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

function quoted(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ')
}

function line(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 1000)
}

/** A text that would fill the context is cut, and says where the rest is. */
function bounded(text: string, limit: number, rest: string): string {
  const trimmed = text.trim()
  if (trimmed.length <= limit) return trimmed
  const end = /[\ud800-\udbff]$/.test(trimmed.slice(0, limit)) ? limit - 1 : limit
  return `${trimmed.slice(0, end)}\n[${trimmed.length - end} more characters: ${rest}]`
}
