import type { Coder, Launch, Order } from '../../ports/coder.ts'
import { textEvents, textVerdict } from '../shared/text.ts'
import { shellDescriptor } from './descriptor.ts'

/** A task whose description is a script. */
export const shell: Coder = {
  name: shellDescriptor.name,
  binary: '/bin/sh',
  traits: {
    claim: 'exit',
    evidence: 'exit',
    resume: false,
    stream: 'text',
    contextWindow: undefined,
    defaultModel: undefined,
  },
  launch,
  parse: textEvents,
  verdict: (exit, _digest, stderrTail) => textVerdict(exit, stderrTail),
}

/**
 * The interpreter in the first line of a script, as the kernel reads it: the program, and the rest of the line as one
 * argument. undefined: a script for sh.
 */
export function interpreterOf(script: string): readonly string[] | undefined {
  const match = /^#![ \t]*([^\s\0]+)(?:[ \t]+([^\r\n\0]*\S))?/.exec(script.slice(0, 256))
  const [, program, argument] = match ?? []
  if (program === undefined) return undefined
  return argument === undefined ? [program] : [program, argument]
}

/**
 * sh starts the interpreter, so that a missing one fails its task (127) and does not look like a machine without the coder.
 */
function launch({ script }: Order): Launch {
  if (script === undefined) throw new Error('the shell coder needs a script')
  const interpreter = interpreterOf(script.text)
  const args = interpreter === undefined ? [script.file] : ['-c', 'exec "$@"', 'sh', ...interpreter, script.file]
  return { args, stdin: 'closed', env: {} }
}
