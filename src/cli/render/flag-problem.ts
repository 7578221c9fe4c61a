import type { Flag, FlagProblem } from '../flags.ts'

/** `--limit is "x", expected a positive whole number` */
export function flagProblem(problem: FlagProblem): string {
  switch (problem.kind) {
    case 'unknown':
      return `unknown flag: ${problem.flag}`
    case 'no-value':
      return `${problem.flag} needs a value`
    case 'wrong-value':
      return `--${problem.flag.name} is ${JSON.stringify(problem.value)}, ${trouble(problem)}`
  }
}

function trouble({ flag, value }: Extract<FlagProblem, { kind: 'wrong-value' }>): string {
  if (flag.kind === 'number' && flag.most === undefined && Number(value) > Number.MAX_SAFE_INTEGER) return 'too large'
  return `expected ${expected(flag)}`
}

function expected({ kind, least, most }: Flag): string {
  if (kind === 'switch') return 'true or false'
  if (most !== undefined) return `a whole number from ${least ?? 0} to ${most}`
  if (least === 1) return 'a positive whole number'
  return least === undefined ? 'a whole number' : `a whole number, ${least} or more`
}
