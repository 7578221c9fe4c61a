/**
 * Text that somebody else wrote (titles, comments, agent output), made safe for a terminal: escape sequences are taken
 * out, other control characters too; newlines and tabs stay. Invisible characters that reorder text are taken out as well.
 */
export function plain(text: string): string {
  // Most text is clean, and this runs on everything printed.
  return UNSAFE.test(text) ? text.replace(SEQUENCES, '').replace(CONTROLS, '') : text
}

/** One line of it. */
export function plainLine(text: string): string {
  return plain(text).replace(/\s+/g, (blanks) => (/[\n\r\t]/.test(blanks) ? ' ' : blanks))
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/**
 * CSI, then OSC and its kin where they end on the same line, then any other two-character escape. One without its end
 * loses only its beginning: it must not swallow the text behind it, which a terminal would hide and an agent would read.
 */
const SEQUENCES =
  /(?:\u001b\[|\u009b)[\u0020-\u003f]*[\u0040-\u007e]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]{0,500}(?:\u0007|\u001b\\|\u009c)|\u001b[^\u001b]?/g
/** Also what ends a line of code, so that it would stand behind a comment, and what takes no room. */
const UNSEEN =
  /\r(?!$)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** A line of a file that a person has to judge: nothing of it is left out, and what a terminal would hide is written as `\u001b`. */
export function visibleLine(text: string): string {
  return plainLine(text.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`))
}

/** JSON that is safe to print: what JSON leaves raw but a terminal may obey is escaped too, and `<>&` as bd writes them. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[<>&\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
