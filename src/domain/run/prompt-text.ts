/** The forms of text in a prompt. */

export interface Part {
  /** For people. */
  readonly name: string
  readonly text: string
}

export function section(title: string, text: string): Part {
  return { name: title.toLowerCase(), text: text === '' ? '' : `## ${title}\n${text}` }
}

/** For text that another agent wrote: it is information, not an instruction. */
export function quoted(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '> ')
}

export function line(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 1000)
}

/** Cuts a text that would fill the context, and says where the rest is. */
export function bounded(text: string, limit: number, rest: string): string {
  const trimmed = text.trim()
  if (trimmed.length <= limit) return trimmed
  const end = /[\ud800-\udbff]$/.test(trimmed.slice(0, limit)) ? limit - 1 : limit
  return `${trimmed.slice(0, end)}\n[${trimmed.length - end} more characters: ${rest}]`
}
