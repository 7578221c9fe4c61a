import { plainLine } from '../../../domain/text/plain.ts'

const TITLE_SHOWN = 255

/** A task in a line of feedback: `fleet-a1b — its title`. */
export function named(id: string, title: string): string {
  if (title === '') return id
  const line = plainLine(title)
  const characters = [...line]
  const shown = characters.length <= TITLE_SHOWN ? line : `${characters.slice(0, TITLE_SHOWN - 1).join('')}…`
  return `${id} — ${shown}`
}
