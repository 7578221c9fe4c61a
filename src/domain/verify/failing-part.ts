import { plain } from '../text/plain.ts'

/** Lines by which common tools name what failed. */
const NAMES_FAILURE = [
  /^\s*(?:FAIL|FAILED|ERROR|✗|✖|×|not ok|--- FAIL:|E {2,})/,
  /\b(?:AssertionError|Error:|error\[|error TS\d+|panicked at|Traceback|undefined reference|assertion failed)/,
  /\b[1-9]\d* (?:tests? |specs? |examples? )?(?:failed|failing|failures?)\b/i,
  /\.{3} FAILED\b/,
]

const MOST_NAMED = 20
const LAST_LINES = 40
const LONGEST_LINE = 400

/**
 * The part of an output that says what is wrong: the first lines that name a failure, and the last lines. Bounded, because
 * it goes into a prompt, and every agent pays for every word.
 */
export function failingPart(output: string, most = 4000): string {
  const lines = plain(output)
    .split('\n')
    .map((line) => line.trimEnd().slice(0, LONGEST_LINE))
  while (lines.at(-1) === '') lines.pop()
  const tail = lines.slice(-LAST_LINES)
  const named = lines
    .slice(0, lines.length - tail.length)
    .filter((line) => NAMES_FAILURE.some((pattern) => pattern.test(line)))
    .slice(0, MOST_NAMED)
  const head = named.length === 0 ? '' : `${named.join('\n').slice(0, most / 2)}\n[...]\n`
  return head + endOf(tail.join('\n'), most - head.length)
}

const TAIL_LINES = 10
const TAIL_BYTES = 2000

/** The last lines of any output. */
export function lastLines(output: string): string {
  const lines = plain(output)
    .split('\n')
    .map((line) => line.trimEnd().slice(0, LONGEST_LINE))
    .filter((line) => line !== '')
  return endOf(lines.slice(-TAIL_LINES).join('\n'), TAIL_BYTES)
}

/** Whole lines, from the end. */
function endOf(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(text.length - most)
  return cut.slice(cut.indexOf('\n') + 1)
}
