import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parseKey } from '../../src/config/key.ts'
import { type Change, changed, patched } from '../../src/config/patch.ts'
import { template } from '../../src/config/template.ts'

async function edit(text: string, ...changes: readonly (readonly [key: string, value: unknown])[]): Promise<string> {
  let next = text
  for (const [key, value] of changes) next = await patched(next, { key: parseKey(key) ?? [], value })
  return next
}

/** The lines that an edit removed and added. */
function difference(before: string, after: string): { out: string[]; in: string[] } {
  const rest = after.split('\n')
  const out = before.split('\n').filter((line) => {
    const at = rest.indexOf(line)
    if (at !== -1) rest.splice(at, 1)
    return at === -1
  })
  return { out, in: rest }
}

describe('a value is changed in place', () => {
  test('the comment on its line stays', async () => {
    expect(
      await edit('max_concurrent = 3 # not more, the machine is small\ncoder = "claude"\n', ['max_concurrent', 5]),
    ).toBe('max_concurrent = 5 # not more, the machine is small\ncoder = "claude"\n')
  })

  test('line ends, odd spaces and a missing last newline stay', async () => {
    const text = '# top\r\nmax_concurrent=3   # a\r\n\r\n[timeouts]\r\n  idle   = "5m"'
    expect(await edit(text, ['max_concurrent', 4], ['timeouts.idle', '6m'])).toBe(
      '# top\r\nmax_concurrent=4   # a\r\n\r\n[timeouts]\r\n  idle   = "6m"',
    )
  })

  test('the order of tables and the comments between them stay', async () => {
    const text =
      '[budget]\n# money\nusd_per_day = 5\n\n# --- waiting ---\n[timeouts]\nidle = "5m"\n\n[projects."/z"]\nverify = "a"\n\n[projects."/a"]\nverify = "b"\n'
    expect(await edit(text, ['projects."/a".verify', 'c'])).toBe(text.replace('"b"', '"c"'))
  })

  test('inline tables, dotted keys and lists over several lines are edited as they are written', async () => {
    expect(await edit('timeouts = { idle = "5m" } # short\n', ['timeouts.grace', '5s'])).toBe(
      'timeouts = { idle = "5m", grace = "5s" } # short\n',
    )
    expect(await edit('timeouts.idle = "5m" # dotted\n', ['timeouts.idle', '6m'])).toBe(
      'timeouts.idle = "6m" # dotted\n',
    )
    const list = 'env_pass = [\n  "A", # first\n  "B",\n]\n'
    expect(await edit(list, ['env_pass', ['A', 'C']])).toBe('env_pass = [\n  "A", # first\n  "C",\n]\n')
  })
})

describe('a new setting', () => {
  test('replaces the comment that init wrote for it', async () => {
    const text = template()
    const after = await edit(text, ['max_concurrent', 7], ['timeouts.idle', '5m'], ['hosts.name', 'anvil'])
    expect(difference(text, after)).toEqual({
      out: ['# max_concurrent = 3', '# idle = "10m"', '# name = "build-3"'],
      in: ['max_concurrent = 7', 'idle = "5m"', 'name = "anvil"'],
    })
  })

  test('goes into its own table, never below the header of another one', async () => {
    const after = await edit(
      '[timeouts]\nidle = "5m"\n\n[budget]\nusd_per_day = 1\n',
      ['lean', true],
      ['timeouts.grace', '5s'],
    )
    expect(parse(after)).toEqual({ lean: true, timeouts: { idle: '5m', grace: '5s' }, budget: { usd_per_day: 1 } })
  })

  test('adds a missing table at the end', async () => {
    const text = '# mine\n[projects."/a"]\nverify = "x" # a'
    expect(await edit(text, ['projects."/b.c d".verify', 'npm test'])).toBe(
      `${text}\n\n[projects."/b.c d"]\nverify = "npm test"\n`,
    )
    expect(await edit('', ['coders.x.command', ['a', 'b']])).toBe('[coders.x]\ncommand = [ "a", "b" ]\n')
  })

  test('does not replace a comment inside a string or in another table', async () => {
    const text = '[projects."/a"]\nverify = """\n# max_concurrent = 9\n"""\n[timeouts]\n# coder = "x"\n'
    const after = await edit(text, ['max_concurrent', 2], ['coder', 'codex'])
    expect(parse(after)).toEqual({
      max_concurrent: 2,
      coder: 'codex',
      projects: { '/a': { verify: '# max_concurrent = 9\n' } },
      timeouts: {},
    })
  })
})

test('a removed setting becomes a comment, so that comments about it still make sense', async () => {
  expect(
    await edit(
      '# the good one\nmodel = "opus" # since May\n\n[timeouts]\nidle = "5m"\n',
      ['model', undefined],
      ['timeouts.idle', undefined],
    ),
  ).toBe('# the good one\n# model = "opus" # since May\n\n[timeouts]\n# idle = "5m"\n')
})

test('a byte order mark stays', async () => {
  expect(await edit('\ufeffmax_concurrent = 3\n', ['max_concurrent', 4])).toBe('\ufeffmax_concurrent = 4\n')
})

const TEXT = fc.string({ unit: 'grapheme', minLength: 1 })
const LIST = fc.array(fc.string(), { minLength: 1, maxLength: 3 })
/** Values of the kinds that the settings accept. */
const EDIT = fc.oneof(
  ...(
    [
      ['max_concurrent', fc.integer()],
      ['lean', fc.boolean()],
      ['coder', TEXT],
      ['timeouts.idle', TEXT],
      ['timeouts.wall', TEXT],
      ['budget.usd_per_day', fc.integer({ min: 1 }).map((cents) => cents / 100)],
      ['projects."/a b".verify', TEXT],
      ['projects."/z".coder', TEXT],
      ['coders.x.command', LIST],
      ['coders.x.env.A', TEXT],
      ['env_pass', LIST],
    ] as const
  ).map(([key, value]) =>
    fc.record({ key: fc.constant(key), value: fc.oneof<fc.Arbitrary<unknown>[]>(value, fc.constant(undefined)) }),
  ),
)
const TEXTS = [
  '',
  template(),
  template().replaceAll('\n', '\r\n'),
  '# only a comment',
  'max_concurrent = 1 # one\ntimeouts = { idle = "1m" } # two\n# three\nprojects."/z".coder = "a" # four',
  '[timeouts] # one\nidle = "1m" # two\n\n# three\n[projects."/a b"] # four\nverify = "x"\n[coders.x]\ncommand = [ # five\n "a",\n]\n# six\n',
]

test('any series of changes gives the wanted values and loses no comment', { timeout: 120_000 }, async () => {
  const series = fc.array(EDIT, { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TEXTS), series, async (start, edits) => {
      let text = start
      let wanted: Record<string, unknown> = parse(start)
      for (const { key, value } of edits) {
        const change: Change = { key: parseKey(key) ?? [], value }
        wanted = changed(wanted, change)
        text = await patched(text, change)
      }
      expect(withoutEmpty(parse(text.replace(/^\ufeff/, '')))).toEqual(withoutEmpty(wanted))
      for (const comment of start.match(/# (one|two|three|four|five|six|only a comment)/g) ?? [])
        expect(text).toContain(comment)
      if (start.includes('\r\n')) expect(text.replaceAll('\r\n', '').includes('\n')).toBe(false)
    }),
    { numRuns: 300 },
  )
})

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)] as const)
  return Object.fromEntries(
    members.filter(
      ([, each]) =>
        !(typeof each === 'object' && each !== null && !Array.isArray(each) && Object.keys(each).length === 0),
    ),
  )
}
