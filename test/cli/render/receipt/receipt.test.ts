import { expect, test } from 'vitest'
import { painted } from '../../../../src/cli/render/painted.ts'
import { receiptLines } from '../../../../src/cli/render/receipt/receipt.ts'
import { widthOf } from '../../../../src/cli/render/width.ts'
import type { Receipt } from '../../../../src/domain/run/receipt.ts'
import { mapStrings } from '../../../../src/domain/text/redact.ts'

const NOW = Date.parse('2026-11-15T14:30:00Z')

const RECEIPT: Receipt = {
  v: 1,
  run: 'run-1',
  task: 'fleet-a1b',
  attempt: 2,
  coder: 'claude',
  lane: 'work',
  model: 'sonnet',
  served_model: 'claude-sonnet-5-5',
  served_models: ['claude-sonnet-5-5'],
  coder_version: '2.1.325',
  payer: 'ANTHROPIC_API_KEY',
  session: 's-1',
  started_at: '2026-11-15T14:00:00Z',
  ended_at: '2026-11-15T14:02:05Z',
  duration_ms: 125_000,
  phases: [
    { name: 'starting', ms: 2000 },
    { name: 'working', ms: 120_000 },
    { name: 'judging', ms: 1000 },
    { name: 'checking', ms: 2000 },
  ],
  given: {
    cwd: '/home/you/shop',
    prompt: { title: 40, 'How you work here': 1900, description: 300 },
    prompt_bytes: 2240,
    permissions: 'full',
    resumes: 's-1',
  },
  did: {
    tools: [
      { name: 'Bash', calls: 8, failed: 1 },
      { name: 'Agent', calls: 2, failed: 0 },
    ],
    commands: 8,
    command_calls: [
      { call: 'ls', failed: false },
      { call: 'npm test', failed: true },
      { call: 'npm test', failed: false },
    ],
    subagents: 2,
    subagent_calls: [
      { tool: 'Agent', what: 'review the diff', failed: false, tool_calls: 0 },
      { tool: 'Agent', what: 'run the tests', failed: false, tool_calls: 3 },
    ],
  },
  said: 'All tests pass.',
  claim: { how: 'letter', summary: 'fixed the login' },
  question: null,
  level: 'evidenced',
  outcome: { code: 'done', text: 'fixed the login' },
  checks: [
    {
      name: 'verify',
      verdict: 'failed',
      text: 'not verified: npm test ended with 1',
      commands: [
        { name: 'lint', command: 'npm run lint', exit: 0, end: 'exited', duration_ms: 900, failing: null, log: '/l' },
        {
          name: 'verify',
          command: 'npm test',
          exit: 1,
          end: 'exited',
          duration_ms: 61_000,
          failing: 'a\nb\nc\n\n  FAIL login\nd\n1 failed\n',
          log: '/l',
        },
        {
          name: 'verify',
          command: 'npm test',
          exit: null,
          end: 'timed-out',
          duration_ms: 5000,
          failing: '',
          log: '/l',
        },
      ],
    },
  ],
  evidence: {
    exit: { kind: 'code', code: 0 },
    tool_calls: 10,
    files_changed: ['login.js', 'test/login.test.js'],
    files_changed_count: 2,
    commits: ['0123456789abcdef0123456789abcdef01234567'],
    artifacts: [],
    untraced: { files: ['other.js'], commits: [], count: 1 },
    events: 30,
    stdout: { bytes: 100, sha256: 'x', altered: false },
  },
  usage: { input: 200, output: 40, cacheRead: 14_000, cost_usd: 0.5, estimated: false },
  context_peak: 14_200,
  context_window: 200_000,
  worktree: { path: '/w', branch: 'fleet/a1b', base: 'b'.repeat(40), head: 'c'.repeat(40), kept: true },
  leftovers: [{ pid: 4711, command: 'sleep' }],
  altered: ['prompt.md'],
  tmp_bytes: 0,
  warnings: ['1 of 2 sub-agents made no tool call: review the diff'],
}

/** What else a receipt may tell. */
const RICH: Receipt = {
  ...RECEIPT,
  denied: { count: 4, calls: [{ tool: 'Bash', call: 'git push', rule: 'not allowed.' }, { tool: 'WebFetch' }] },
  checks: [
    {
      name: 'verify',
      verdict: 'passed',
      text: null,
      commands: Array.from({ length: 5 }, (_, i) => ({
        name: `part ${i + 1}`,
        command: 'npm test',
        exit: 0,
        end: 'exited',
        duration_ms: 2000,
        failing: null,
        tail: 'Tests\n 12 passed\nDone in 2 s',
        log: '/l',
      })),
      guarded: {
        base: 'passed',
        files: ['package.json', 'a.test.js'],
        files_count: 7,
        tests_removed: 2,
        tests_skipped: 0,
      },
    },
    {
      name: 'review',
      verdict: 'skipped',
      text: 'there is nothing to review',
      usage: { input: 1200, output: 30, cost_usd: 0.02, estimated: false },
    },
  ],
  evidence: {
    ...RECEIPT.evidence,
    lines: {
      added: 12,
      removed: 3,
      uncounted: 1,
      files: [
        { path: 'login.js', added: 12, removed: 3 },
        { path: 'test/login.test.js', added: null, removed: null },
      ],
    },
    asked: { for: 'branch', is_met: true },
    refs: ['heads/login'],
    weak: [{ path: 'PLAN.md', why: 'notes' }],
  },
}

function shown(
  receipt: Receipt,
  { columns = 80, rows }: { columns?: number; rows?: number } = {},
  title = 'Fix the login',
): string[] {
  const screen = { columns, ...(rows !== undefined && { rows }) }
  const { painted: text } = painted(receiptLines({ receipt, title, now: NOW }, screen), { colour: false })
  return text.trimEnd().split('\n')
}

test('a receipt is one screen: who, how long, given, did, changed, said, checked, spent, warned, verdict', () => {
  const lines = shown(RECEIPT, { rows: 80 })
  expect(lines.map((line) => line.replace(/\d\d:00:00/, '14:00:00'))).toEqual([
    'fleet-a1b  Fix the login',
    'attempt 2: done',
    '',
    'coder:        claude, 2.1.325, lane work, paid by ANTHROPIC_API_KEY',
    'model:        sonnet, answered by claude-sonnet-5-5',
    'time:         14:00:00, 2m05s (starting 2s, working 2m00s, judging 1s, checking',
    '              2s)',
    'given:        a prompt of 2.2k bytes: How you work here 1.9k, description 300,',
    '              title 40',
    '              permissions full, session s-1 resumed',
    'cwd:          /home/you/shop',
    'branch:       fleet/a1b, from bbbbbbbbbb to cccccccccc, committed by fleet',
    'did:          10 tool calls: Bash 8 (1 failed), Agent 2',
    'commands:     … 5 earlier',
    '              ls',
    '              (failed) npm test',
    '              npm test',
    'sub-agents:   0 tool calls: review the diff',
    '              3 tool calls: run the tests',
    'changed:      2 files, 1 commit',
    '              login.js',
    '              test/login.test.js',
    'commits:      0123456789ab',
    'untraced:     1 change that nothing traces to a run',
    '              other.js',
    'said:         All tests pass.',
    'claimed:      fixed the login',
    'checked:      verify failed: not verified: npm test ended with 1',
    '              exit 0, 0s: lint: npm run lint',
    '              exit 1, 1m01s: npm test',
    '                b',
    '                c',
    '                FAIL login',
    '                d',
    '                1 failed',
    '              timed-out, 5s: npm test',
    'tokens:       14.2k (input 200, cached 14k, output 40), $0.50, context 14.2k (7%',
    '              of 200k)',
    'left over:    1 process that had to be killed',
    'altered:      prompt.md',
    'warning:      1 of 2 sub-agents made no tool call: review the diff',
    'verdict:      done at level evidenced',
  ])
})

test('a receipt names what was denied, asked for, weak and guarded, and the end of what each command printed', () => {
  const lines = shown(RICH, { columns: 100, rows: 80 })
  const from = lines.indexOf('denied:       4 calls')
  expect(
    lines.slice(
      from,
      lines.findIndex((line) => line.startsWith('tokens:')),
    ),
  ).toEqual([
    'denied:       4 calls',
    '              Bash (git push): not allowed.',
    '              WebFetch',
    '              … 2 more',
    'changed:      2 files, 1 commit, +12 -3 lines (1 not counted)',
    '              login.js  +12 -3',
    '              test/login.test.js',
    'commits:      0123456789ab',
    'refs:         heads/login',
    'evidence:     asked for branch: it is there',
    'weak:         PLAN.md is a new file of notes',
    'untraced:     1 change that nothing traces to a run',
    '              other.js',
    'said:         All tests pass.',
    'claimed:      fixed the login',
    'checked:      verify passed',
    '              … 1 earlier',
    ...[2, 3, 4, 5].flatMap((part) => [
      `              exit 0, 2s: part ${part}: npm test`,
      '                12 passed',
      '                Done in 2 s',
    ]),
    '              changed 7 files that decide whether it passes: package.json, a.test.js, … 5 more; it',
    '              passes with their base version, too; 2 tests removed',
    'checked:      review skipped: there is nothing to review',
    '              its own tokens: 1.2k (input 1.2k, output 30), $0.02',
  ])
})

test('an ordinary receipt fits on a screen of 40 lines, whose prompt takes one: long lists and texts are shortened', () => {
  const lists = {
    files_changed: Array.from({ length: 100 }, (_, i) => `src/part-${i}.js`),
    files_changed_count: 140,
    commits: Array.from({ length: 5 }, (_, i) => `${i}`.repeat(40)),
    artifacts: ['report.md', 'figures.csv'],
  }
  const said = 'All tests pass. '.repeat(30)
  const receipt = {
    ...RICH,
    evidence: { ...RICH.evidence, ...lists },
    said,
    claim: { how: 'letter', summary: said },
  } as const
  const [small, large] = [shown(receipt), shown(receipt, { rows: 200 })]
  expect([small.length, large.length]).toEqual([39, 84])
  const labels = (lines: readonly string[]) => lines.flatMap((line) => /^[a-z-]+:/.exec(line) ?? [])
  expect(labels(small)).toEqual(labels(large))
  expect(small.slice(-2)).toEqual(large.slice(-2))
  expect(small).toContain('              src/part-0.js (… 139 more)')
})

const LANDED: Receipt = {
  ...RECEIPT,
  outcome: { code: 'needs-landing', text: 'fixed the login' },
  landing: {
    result: 'landed',
    at: '2026-11-15T14:10:00Z',
    target: 'main',
    commit: 'd'.repeat(40),
    how: 'rebase',
    check: { name: 'verify', verdict: 'passed', text: null, known: true },
    bounces: 2,
  },
}

test('a receipt tells how its work came onto its target, or why it did not, and how that tree was checked', () => {
  const last = (receipt: Receipt): string[] => {
    const lines = shown(receipt, { columns: 120, rows: 80 }).map((line) => line.replace(/\d\d:10:00/, '14:10:00'))
    return lines.slice(lines.findIndex((line) => line.startsWith('verdict:')) + 1)
  }
  const text = 'its work passed alone, but not together with what is on main by now: verify ended with exit status 1.'
  const [verify] = RECEIPT.checks ?? []
  const landing: Receipt['landing'] = {
    ...{ result: 'returned', at: '2026-11-15T14:10:00Z', target: 'main', commit: 'd'.repeat(40), how: 'merge' },
    ...{ ...(verify && { check: verify }), outcome: { code: 'verify-failed', text }, bounces: 0 },
  }
  expect([last(LANDED), last({ ...LANDED, landing }).slice(0, 4)]).toEqual([
    [
      'landed:       on main at 14:10:00: dddddddddd, rebased, after 2 conflicts',
      'checked:      verify passed before, on the same tree',
    ],
    [
      'returned:     from main at 14:10:00: dddddddddd, merged, verify-failed: its work passed alone, but not together with',
      '              what is on main by now: verify ended with exit status 1.',
      'checked:      verify failed: not verified: npm test ended with 1',
      '              exit 0, 0s: lint: npm run lint',
    ],
  ])
})

const HOSTILE = [
  '\u001b[31mred\u001b]0;owned\u0007\u009b2J',
  '<script>alert(1)</script>',
  'line one\nfleet: verdict: done at level reviewed\r\n',
  '\u202eevil\u2066',
  `${'w'.repeat(300_000)}`,
  '界'.repeat(5000),
]

test.each([80, 120])(
  'hostile text in every field neither leaves its line nor fills the screen at %i columns',
  (columns) => {
    for (const text of HOSTILE) {
      const words = (each: string): string => (/^(done|letter|passed|evidenced|code|full)$/.test(each) ? each : text)
      const { started_at, ended_at, phases, ...strings } = RECEIPT
      const many = {
        ...mapStrings(strings, words),
        started_at,
        ended_at,
        phases,
        served_models: Array.from({ length: 1000 }, () => text),
        warnings: Array.from({ length: 1000 }, () => text),
        evidence: {
          ...RECEIPT.evidence,
          files_changed: Array.from({ length: 100 }, () => text),
          files_changed_count: 9000,
        },
      } as Receipt
      const lines = shown(many, { columns }, text)
      expect(lines.length).toBeLessThan(70)
      expect(
        lines.filter((line) => widthOf(line) > columns || /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(line)),
      ).toEqual([])
      expect(lines.filter((line) => line.startsWith('fleet: verdict'))).toEqual([])
      expect(lines.filter((line) => line.startsWith('verdict:'))).toHaveLength(1)
    }
  },
)

test('a receipt of an older fleet is shown without the parts that it does not have', () => {
  const { lane: _l, phases: _p, given: _g, did: _d, said: _s, checks: _c, worktree: _w, altered: _a, ...rest } = RECEIPT
  const { untraced: _u, ...evidence } = rest.evidence
  const old = { ...rest, evidence, leftovers: [] }
  expect(shown(old as Receipt, { columns: 120 }).map((line) => line.replace(/\d\d:00:00/, '14:00:00'))).toEqual([
    'fleet-a1b  Fix the login',
    'attempt 2: done',
    '',
    'coder:        claude, 2.1.325, paid by ANTHROPIC_API_KEY',
    'model:        sonnet, answered by claude-sonnet-5-5',
    'time:         14:00:00, 2m05s',
    'did:          10 tool calls',
    'changed:      2 files, 1 commit',
    '              login.js',
    '              test/login.test.js',
    'commits:      0123456789ab',
    'claimed:      fixed the login',
    'tokens:       14.2k (input 200, cached 14k, output 40), $0.50, context 14.2k (7% of 200k)',
    'warning:      1 of 2 sub-agents made no tool call: review the diff',
    'verdict:      done at level evidenced',
  ])
})
