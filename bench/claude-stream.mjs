import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../scripts/bundle.mjs'

/** A recorded run of claude, repeated. Its texts are source code of realistic length, with all the quotes. */
export function claudeStream() {
  const recorded = readFileSync(join(ROOT, 'test/fixtures/coders/claude/perm-acceptEdits.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const [init, text, write, written, , , answer, , result] = recorded.map((line) => JSON.parse(line))
  const prose = readFileSync(join(ROOT, 'src/queues/sqlite/queue.ts'), 'utf8')
  const some = (length, turn) => {
    const start = (turn * 997) % (prose.length - length)
    return prose.slice(start, start + length)
  }
  const line = (event) => `${JSON.stringify(event)}\n`
  return {
    // A subscription: the supervisor stops a run that uses an API key it was not given.
    first: line({ ...init, apiKeySource: 'none' }),
    last: line(result),
    /** A text, a tool call and its result, about 2 KB each. */
    turn(number) {
      const id = `toolu_${number}`
      text.message.id = `msg_${number}`
      text.message.content[0].text = some(1200, number)
      write.message.id = text.message.id
      write.message.content[0].id = id
      write.message.content[0].input.content = some(1200, number + 7)
      const told = number % 2 === 0 ? answer : written
      told.message.content[0].tool_use_id = id
      told.message.content[0].content = some(900, number + 3)
      told.tool_use_result = { ...told.tool_use_result, stdout: told.message.content[0].content }
      return [text, write, told].map(line)
    },
  }
}
