/** The parts of a prompt by name, and how many characters each has. */
export type PromptSizes = Readonly<Record<string, number>>

/** The most parts that are named. */
const NAMED = 4

/** Explains a prompt that was too long at the first request: fleet's own part, largest first, and where the rest is from. */
export function longPromptText(told: string, { coder, sizes }: { coder: string; sizes: PromptSizes }): string {
  const parts = Object.entries(sizes).sort(([, one], [, other]) => other - one)
  const whole = parts.reduce((sum, [, size]) => sum + size, 0)
  const named = parts.slice(0, NAMED).map(([name, size]) => `${name} ${size}`)
  const own = whole === 0 ? '' : ` fleet's prompt has ${whole} characters (${named.join(', ')});`
  return `the first request was too long for the model: ${told};${own} the rest is ${coder}'s own: its instructions, the project's (CLAUDE.md, AGENTS.md), tools and servers, which lean = true in runtime.toml leaves out for the most part`
}
