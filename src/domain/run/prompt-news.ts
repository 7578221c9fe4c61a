import { agentName } from '../agent/current-run.ts'
import type { Comment } from '../task/comment.ts'
import { bounded, line, type Part, quoted, section } from './prompt-text.ts'
import type { News, TextField } from './told.ts'

/** The part of a prompt that people and other agents wrote about the task while it was under way. */

const LIMITS: Readonly<Record<TextField, number>> = { description: 40_000, design: 20_000, acceptance_criteria: 20_000 }
const TITLES: Readonly<Record<TextField, string>> = {
  description: 'Description',
  design: 'Design',
  acceptance_criteria: 'Acceptance criteria',
}
const NOTES_LIMIT = 20_000
const MAX_COMMENTS = 20
const COMMENT_LIMIT = 4000
const MAX_DEPENDENCIES = 20

/** A resumed session learns only what is new, and that it comes from people. */
export function newsSections(id: string, news: News): readonly Part[] {
  const whole = `fleet bd show ${id}`
  const fields = Object.keys(TITLES) as TextField[]
  const parts = [
    news.title === undefined ? '' : `The title is now: ${line(news.title)}`,
    ...fields.map((field) => part(TITLES[field], news.texts[field], { limit: LIMITS[field], rest: whole })),
    notesPart(news, whole),
    removedPart(news.removedDependencies),
    commentsText(id, news.comments.filter(isPersons), '### Comments\n'),
  ].filter((text) => text !== '')
  const title = news.whole
    ? 'The task as people describe it now'
    : 'From a person, new since your last attempt: it overrides what you were told before'
  return [
    section(title, parts.join('\n\n')),
    section(
      'Comments of other agents, new since your last attempt',
      commentsText(
        id,
        news.comments.filter((each) => !isPersons(each)),
      ),
    ),
  ]
}

/** The part of a prompt with the messages that no agent was told yet. They must not drown among the comments. */
export function messagesSection(id: string, messages: readonly Comment[]): Part {
  const texts = messages.map((each) => commentText(id, each))
  return section('Messages to you, which override what you were told before', texts.join('\n\n'))
}

function part(title: string, text: string | undefined, { limit, rest }: { limit: number; rest: string }): string {
  if (text === undefined) return ''
  return `### ${title}, as it is now\n${text.trim() === '' ? '(empty)' : bounded(text, limit, rest)}`
}

function notesPart({ notes, whole }: News, rest: string): string {
  if (notes?.kind === 'added' && !whole) return `### Notes, added\n${bounded(notes.text, NOTES_LIMIT, rest)}`
  return part('Notes', notes?.text, { limit: NOTES_LIMIT, rest })
}

function removedPart(ids: readonly string[]): string {
  if (ids.length === 0) return ''
  const more = ids.length > MAX_DEPENDENCIES ? ` and ${ids.length - MAX_DEPENDENCIES} more` : ''
  return `The task no longer depends on ${ids.slice(0, MAX_DEPENDENCIES).join(', ')}${more}.`
}

/** The newest comments, oldest first, each with its author. */
export function commentsText(id: string, comments: readonly Comment[], heading = ''): string {
  if (comments.length === 0) return ''
  const rest = `fleet bd comments ${id}`
  const older = comments.length - MAX_COMMENTS
  const shown = shownComments(comments).map((comment) => commentText(id, comment))
  return `${heading}${[...(older > 0 ? [`[${older} older: ${rest}]`] : []), ...shown].join('\n\n')}`
}

export function commentText(id: string, comment: Comment): string {
  const text = bounded(comment.text, COMMENT_LIMIT, `fleet bd comments ${id}`)
  return `${authorLine(id, comment)}\n${isPersons(comment) ? text : quoted(text)}`
}

/** Those that a prompt has, of comments or their ids. */
export function shownComments<T>(comments: readonly T[]): readonly T[] {
  return comments.slice(-MAX_COMMENTS)
}

function authorLine(id: string, { author, created_at }: Comment): string {
  const at = created_at.slice(0, 16).replace('T', ' ')
  if (author === agentName(id)) return `An earlier attempt at this task, ${at} UTC:`
  return isPersons({ author })
    ? `${line(author)}, ${at} UTC:`
    : `The agent of another task (${line(author)}), ${at} UTC:`
}

function isPersons({ author }: Pick<Comment, 'author'>): boolean {
  return !author.startsWith(agentName(''))
}
