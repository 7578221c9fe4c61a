import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeDiff } from '../../src/views/change-diff.ts'

const shown = async (path: string, before: string, after: string) => {
  const { lines } = await changeDiff({ path, before, after: { text: after }, noticedAt: 0, runs: [] })
  return lines.map(({ kind, text }) => `${kind} ${text}`)
}

const EVIL = 'run("/tmp/evil")'

test.each(['// -----BEGIN PRIVATE KEY-----', '// Authorization: Bearer', '// token = """'])(
  'code below %s, which looks like the beginning of a secret, is shown',
  async (beginning) => {
    const after = `export default {}\n${beginning}\n${EVIL}\n`
    expect(await shown('coders/mine.mjs', 'export default {}\n', after)).toContain(`+ ${EVIL}`)
  },
)

test.each(['# -----BEGIN PRIVATE KEY-----', '# api_token = """', "# api_token = '''"])(
  'a setting below the comment %s is shown',
  async (comment) => {
    const after = `max_concurrent = 2\n${comment}\n[coders.claude]\ncommand = ["/tmp/evil"]\n`
    expect(await shown('runtime.toml', 'max_concurrent = 2\n', after)).toContain('+ command = ["/tmp/evil"]')
  },
)

test('every line that differs stands in the difference, masked or not', async () => {
  const line = fc.constantFrom('a = 1', 'X_TOKEN = "hunter2hunter2"', 'X_TOKEN = "other2other2"', '# token = """', '')
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((each) => `${each}\n`).join(''))
  await fc.assert(
    fc.asyncProperty(text, text, fc.constantFrom('runtime.toml', 'coders/x.mjs'), async (a, b, path) => {
      expect((await shown(path, a, b)).some((each) => !each.startsWith(' '))).toBe(a !== b)
    }),
  )
})

test('secrets of one and of many lines are masked', async () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'abcd'.repeat(16)}\n-----END PRIVATE KEY-----`
  const after = `[coders.claude.env]\nA_TOKEN = "hunter2hunter2"\nB_KEY = """\n${key}\nmore of the secret\n"""\n`
  const lines = (await shown('runtime.toml', '', after)).join('\n')
  expect(lines).not.toMatch(/hunter2|abcd|more of/)
  expect(await shown('coders/x.mjs', '', 'const key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"\n')).toEqual([
    '+ const key = "[redacted]"',
  ])
})
