/** Words that stand before the program, some with a word of their own. */
const BEFORE =
  /^(?:!|\{|if|elif|while|until|then|else|do|exec|env|time|command|builtin|sudo|nohup|npx|bunx|pnpx|[A-Za-z_]\w*=.*)$/
const BEFORE_WITH_NUMBER = /^(?:timeout|nice|ionice|stdbuf|setsid|xargs)$/
/** Programs that run another command, by their first two words. */
const RUNNER =
  /^(?:uv|poetry|pipenv|rye|hatch|pdm|mise|pixi) (?:run|exec|x)$|^(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)$|^(?:bundle|asdf|direnv) exec$/

const SHELL = /^(?:.*\/)?(?:ba|da|z|k)?sh$/

/** The words of each command of a shell line, without quotes and without what stands before the program. */
export function commandsIn(line: string): readonly (readonly string[])[] {
  return line.split(/&&|\|\||[;|()&\n`]/).flatMap((command) => {
    const words = command
      .split(/\s+/)
      .map((word) => word.replace(/^["']+|["']+$/g, ''))
      .filter((word) => word !== '' && word !== '}')
    const found = fromProgram(words)
    return found.length === 0 ? [] : [found]
  })
}

function fromProgram(words: readonly string[]): readonly string[] {
  const [first = '', second = '', ...rest] = words
  if (BEFORE.test(first)) return fromProgram(withoutOptions(words.slice(1)))
  if (BEFORE_WITH_NUMBER.test(first)) return fromProgram(withoutNumbers(withoutOptions(words.slice(1))))
  const isLine = SHELL.test(first) && /^-\w*c$/.test(second)
  return isLine || RUNNER.test(`${first} ${second}`) ? fromProgram(withoutOptions(rest)) : words
}

export function withoutOptions(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-'))
  return at < 0 ? [] : words.slice(at)
}

/** `timeout 600 …`, `nice -n 5 …` */
function withoutNumbers(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !/^[\d.]+[smhd]?$/.test(word))
  return at < 0 ? [] : words.slice(at)
}
