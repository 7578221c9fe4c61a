/**
 * The answer that a person means who types a number: the option of that number, counted from 1. The words of an option win
 * over its number, and a number without an option is an answer as it is.
 */
export function numberedOption(text: string, options: readonly string[]): string {
  if (options.includes(text) || !/^[1-9]\d{0,3}$/.test(text)) return text
  return options[Number(text) - 1] ?? text
}
