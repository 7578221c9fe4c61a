import { coderNames, DEFAULT_CODER, descriptorOf } from '../coders/registry.ts'
import { bracedIn, isProgram, PLACEHOLDERS, placeholdersIn } from '../coders/user/template.ts'
import { nearest } from '../domain/text/nearest.ts'
import { isCoderName } from './coder-files.ts'
import { type Problem, shown } from './problem.ts'
import type { Config } from './schema.ts'

type Block = Config['coders'][string]

/** Problems of `[coders.<name>]` blocks whose single values are valid. */
export function coderProblems(blocks: Config['coders'], fileCoders: readonly string[]): Problem[] {
  return Object.entries(blocks).flatMap(([name, block]) => {
    if (!isCoderName(name)) {
      return [{ key: ['coders', name], what: 'is not a name, expected letters, digits, - and _', fix: undefined }]
    }
    const isKnown = coderNames().includes(name) || fileCoders.includes(name)
    return [
      ...(block.command === undefined && !isKnown ? [noCommand(name)] : []),
      ...templateProblems(name, 'command', block.command ?? []),
      ...templateProblems(name, 'resume', block.resume ?? []),
      ...resumeProblems(name, block, isKnown),
    ]
  })
}

function noCommand(name: string): Problem {
  const fix = `fleet config set 'coders.${name}.command=["${name}", "{prompt_file}"]'`
  return { key: ['coders', name], what: 'has no command, expected the program and its arguments', fix }
}

function templateProblems(name: string, member: 'command' | 'resume', words: readonly string[]): Problem[] {
  const [program] = words
  const key = ['coders', name, member]
  const problems: Problem[] = []
  if (program !== undefined && (!isProgram(program) || placeholdersIn(program).length > 0)) {
    const what = `begins with ${shown(program)}, expected a program on PATH or an absolute path`
    problems.push({ key, what, fix: undefined })
  }
  for (const word of words.flatMap(bracedIn)) {
    const [near] = nearest(word, PLACEHOLDERS, 1)
    if (near === undefined || near === word) continue
    problems.push({ key, what: `has {${word}}, did you mean {${near}}?`, fix: undefined })
  }
  return problems
}

function resumeProblems(name: string, { command, resume, format }: Block, isKnown: boolean): Problem[] {
  if (resume === undefined) return []
  const key = ['coders', name, 'resume']
  const problems: Problem[] = []
  const builtIn = descriptorOf(name)
  const [program] = command ?? [builtIn?.program ?? builtIn?.name]
  if (program !== undefined && resume[0] !== program) {
    problems.push({
      key,
      what: `begins with ${shown(resume[0])}, expected ${program} as in its command`,
      fix: undefined,
    })
  }
  if (!resume.some((word) => placeholdersIn(word).includes('session'))) {
    problems.push({
      key,
      what: 'has no {session}, expected it where the session id belongs',
      fix: undefined,
    })
  }
  if (format === 'text' || (format === undefined && !isKnown)) {
    const fix = `fleet config set coders.${name}.format=${DEFAULT_CODER}, or another format that it prints`
    problems.push({ key, what: 'is of no use where the format is text: no session is ever told', fix })
  }
  return problems
}
