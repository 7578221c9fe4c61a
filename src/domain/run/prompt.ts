import { isBounded, type Scope, scopeText } from '../scope/scope.ts'
import type { Comment } from '../task/comment.ts'
import type { Task } from '../task/task.ts'
import { commentsText, messagesSection, newsSections } from './prompt-news.ts'
import { bounded, line, type Part, quoted, section } from './prompt-text.ts'
import type { Question } from './run.ts'
import type { News } from './told.ts'

/** The input for an agent's prompt. Every agent pays for every word, so the prompt says each thing once. */
export interface PromptInput {
  readonly task: Pick<Task, 'id' | 'title' | 'description' | 'design' | 'acceptance_criteria' | 'notes'>
  readonly cwd: string
  /** The primary checkout, for a run in a worktree of it. */
  readonly worktreeOf?: string
  readonly taskDir: string
  /** Absent: it may write anywhere. */
  readonly scope?: Scope
  readonly artifactDir: string
  /** 1 for the first. */
  readonly attempt: number
  /** The machine of the last attempt, if it was another one. */
  readonly previousMachine?: string
  /** true if the coder resumes its session, which already has the task and the protocol. */
  readonly resumed: boolean
  /** Why the last attempt ended; for a rejected claim, what the supervisor saw. */
  readonly previous?: string
  /** The questions of this task, oldest first. */
  readonly questions: readonly Question[]
  readonly blockers: readonly Blocker[]
  /** Oldest first, without the messages. */
  readonly comments: readonly Comment[]
  /** The comments that are messages to its agent, which no agent was told yet. Oldest first; the prompt has all of them. */
  readonly messages: readonly Comment[]
  /** The changes since the resumed session was last told of the task. */
  readonly news?: News
}

/** A settled task that this one waited for. */
export interface Blocker {
  readonly id: string
  readonly title: string
  /** In the words of the agent that did it. */
  readonly summary: string
  /** Absolute paths. */
  readonly artifacts: readonly string[]
  /** The machine it ran on, if it was another one. Its artifacts are there. */
  readonly machine?: string
}

export function promptFor(input: PromptInput): string {
  return `${partsOf(input)
    .map(({ text }) => text)
    .join('\n\n')}\n`
}

/** The parts of the prompt by name, and how many characters each has. */
export function promptSizes(input: PromptInput): Readonly<Record<string, number>> {
  return Object.fromEntries(partsOf(input).map(({ name, text }) => [name, text.length]))
}

function partsOf(input: PromptInput): readonly Part[] {
  return (input.resumed ? resumedParts(input) : freshParts(input)).filter(({ text }) => text !== '')
}

function freshParts(input: PromptInput): readonly Part[] {
  const { task } = input
  const whole = `fleet bd show ${task.id}`
  return [
    { name: 'title', text: `# Task ${task.id}: ${line(task.title)}` },
    { name: 'description', text: bounded(task.description, 40_000, whole) },
    section('Design', bounded(task.design, 20_000, whole)),
    section('Acceptance criteria', bounded(task.acceptance_criteria, 20_000, whole)),
    section('Notes', bounded(task.notes, 20_000, whole)),
    section('Comments', commentsText(task.id, input.comments)),
    messagesSection(task.id, input.messages),
    section('Done before this task', blockersText(input.blockers)),
    section('Why the last attempt ended', previousText(input)),
    section('Answers', answersText(input)),
    section('Not answered', unansweredText(input)),
    section('How you work here', protocol(input)),
  ]
}

function resumedParts(input: PromptInput): readonly Part[] {
  const { task, news, blockers } = input
  const added = blockers.filter(({ id }) => news?.addedDependencies.includes(id))
  return [
    { name: 'title', text: `Continue with task ${task.id}: ${line(task.title)} (attempt ${input.attempt}).` },
    section('Why the last attempt ended', previousText(input)),
    section('Answers', answersText(input)),
    section('Not answered', unansweredText(input)),
    messagesSection(task.id, input.messages),
    ...(news === undefined ? [] : newsSections(task.id, news)),
    section('Done before this task, since your last attempt', blockersText(added)),
    { name: 'how you work here', text: reminder(input) },
  ]
}

function reminder({ artifactDir, scope }: PromptInput): string {
  return `First look at the state of your work and at PLAN_AND_STATUS.md in ${artifactDir}. The rules have not changed: finish with fleet done "<summary>", ask with fleet ask "<question>", and stop after either.${scopeSentence(scope)}`
}

function protocol({ cwd, artifactDir, worktreeOf, scope, ...input }: PromptInput): string {
  const earlier = earlierText(input)
  return `You work alone in ${cwd}: nobody watches, nobody replies.${worktreeText(worktreeOf)} Keep your notes in ${artifactDir} ($FLEET_ARTIFACT_DIR): that folder outlives you, and a later attempt may have to continue from it.${earlier}

1. Read PLAN_AND_STATUS.md, KNOWLEDGE.md and Q&A.md there, if they exist, and continue from them.
2. Before your first edit, write PLAN_AND_STATUS.md: the steps, and how you will check each. Keep it up to date. Write what others must know into KNOWLEDGE.md.
3. Do this task only. For other work that you discover, create a task: fleet bd create "<title>" -d "<what and why>".${scopeSentence(scope)}
4. Output that is not part of the project (reports, data) goes into the same folder.
5. If only a person can decide: fleet ask "<question>" [--option <answer>]..., then stop at once; you will continue with the answer. Do not guess.
6. When the task is really done, and you have checked it: fleet done "<what you changed, how you checked it>", then stop. The supervisor looks for your changes itself; words without work come back to you. Ending without fleet done or fleet ask counts as a failure. To tell people something while you work: fleet note "<text>".`
}

function scopeSentence(scope: Scope | undefined): string {
  if (scope === undefined || !isBounded(scope)) return ''
  if (scope.readOnly) return ' Change nothing of the project: what you find out goes into the folder of your notes.'
  return ` Of the project, change only ${line(scopeText(scope))}: a change elsewhere stops the task.`
}

function worktreeText(repository: string | undefined): string {
  if (repository === undefined) return ''
  return ` It is a git worktree of its own, on a branch of its own: commit there as you like, and what you leave uncommitted is committed for you. Do not switch the branch, and leave ${line(repository)} as it is.`
}

function earlierText({
  attempt,
  taskDir,
  previousMachine,
}: Pick<PromptInput, 'attempt' | 'taskDir' | 'previousMachine'>): string {
  if (attempt <= 1) return ''
  if (previousMachine === undefined)
    return ` This is attempt ${attempt}; the events of earlier attempts are in ${taskDir}/events.jsonl.`
  return ` This is attempt ${attempt}; the previous one ran on another machine, ${line(previousMachine)}, and its files are there.`
}

function previousText({ previous = '', task }: PromptInput): string {
  return bounded(previous, 8000, `fleet show ${task.id}`)
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

/** A person let the task continue without an answer. Silence is not consent. */
function unansweredText({ questions, artifactDir }: PromptInput): string {
  const open = questions.filter((question) => question.answer === null).slice(-MAX_QUESTIONS)
  if (open.length === 0) return ''
  const asked = open.map(({ text }) => `Q: ${bounded(text, 4000, `${artifactDir}/Q&A.md`)}`)
  const what = open.length === 1 ? 'this' : 'these'
  return `${asked.join('\n')}\nNobody has answered ${what}. Decide yourself only if any answer would be right; otherwise ask again.`
}

const MAX_BLOCKERS = 20
const MAX_ARTIFACTS = 20

/** Another agent wrote the summaries, so they are quoted: they are information, not instructions. */
function blockersText(blockers: readonly Blocker[]): string {
  if (blockers.length === 0) return ''
  const told = blockers.slice(0, MAX_BLOCKERS).map(({ id, title, summary, artifacts, machine }) => {
    const files = artifacts.slice(0, MAX_ARTIFACTS).map((path) => `  left ${line(path)}`)
    const elsewhere = machine === undefined ? '' : `  ran on another machine, ${line(machine)}: its files are there`
    return [`- ${id}: ${line(title)}`, quoted(bounded(summary, 2000, `fleet bd show ${id}`)), ...files, elsewhere]
      .filter((text) => text !== '')
      .join('\n')
  })
  const more = blockers.length - told.length
  return [...told, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}
