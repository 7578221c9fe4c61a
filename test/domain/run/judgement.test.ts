import { expect, test } from 'vitest'
import { type Case, judge } from '../../../src/domain/run/judgement.ts'

const CLAIMED: Case = {
  trouble: undefined,
  said: { kind: 'done', summary: 'all done', how: 'letter' },
  exitIsEvidence: false,
  toolCalls: 3,
  earlierToolCalls: 0,
  filesChanged: 1,
  commits: 0,
  artifacts: 0,
  refs: 0,
  asked: undefined,
  weak: [],
  untraced: 0,
  where: 'checkout',
  sentBackBy: undefined,
  altered: [],
  unseen: undefined,
  closeAt: 'evidenced',
  denied: undefined,
}

const NONE = { text: 'none', isMet: true }
const REPORT = { text: 'path:report.txt', isMet: false }

const denied = { text: 'the permissions of claude denied Bash', under: 'settings' }

test.each<[string, Partial<Case>, string, string]>([
  ['tool calls and a changed file', {}, 'evidenced', 'done'],
  ['tool calls and nothing changed', { filesChanged: 0 }, 'claimed', 'no-evidence'],
  ['a changed file and no tool call', { toolCalls: 0 }, 'claimed', 'no-evidence'],
  [
    'a changed file, and tool calls of an earlier attempt alone',
    { toolCalls: 0, earlierToolCalls: 2 },
    'evidenced',
    'done',
  ],
  ['a changed file of a coder whose tools are invisible', { toolCalls: undefined }, 'evidenced', 'done'],
  [
    'no change by a coder whose tools are invisible',
    { toolCalls: undefined, filesChanged: 0 },
    'claimed',
    'no-evidence',
  ],
  ['an output among the artifacts', { filesChanged: 0, artifacts: 1 }, 'evidenced', 'done'],
  ['a record that was altered', { altered: ['stdout.jsonl'] }, 'none', 'no-evidence'],
  ['the exit of a script', { exitIsEvidence: true, toolCalls: 0, filesChanged: 0 }, 'evidenced', 'done'],
  [
    'the exit of a script whose task asks for a report, which is not there',
    { exitIsEvidence: true, toolCalls: undefined, asked: { text: 'path:report.txt', isMet: false } },
    'claimed',
    'no-evidence',
  ],
  ['a claim where a claim is enough', { filesChanged: 0, closeAt: 'claimed' }, 'claimed', 'done'],
  ['evidence where a check is asked for, which decides', { closeAt: 'verified' }, 'evidenced', 'done'],
  ['a claim where a check is asked for', { closeAt: 'verified', filesChanged: 0 }, 'claimed', 'no-evidence'],
  ['work without a claim', { said: undefined }, 'none', 'no-claim'],
  ['a denied call, no claim and nothing changed', { said: undefined, filesChanged: 0, denied }, 'none', 'denied'],
  ['a denied call, and work without a claim', { said: undefined, denied }, 'none', 'no-claim'],
  ['a denied call and nothing changed', { filesChanged: 0, denied }, 'claimed', 'denied'],
  ['a denied call, and another way that worked', { denied }, 'evidenced', 'done'],
  ['a denied call and trouble', { trouble: { code: 'overload', text: 'busy' }, denied }, 'none', 'overload'],
  ['a record that was altered, and a denied call', { altered: ['stdout.jsonl'], denied }, 'none', 'no-evidence'],
  [
    'a call that ended the run, without a claim',
    { said: undefined, trouble: { code: 'denied', text: 'stopped' }, denied },
    'none',
    'denied',
  ],
  [
    'a call that ended the run, after the work',
    { trouble: { code: 'denied', text: 'stopped' }, denied },
    'evidenced',
    'done',
  ],
  ['work and trouble', { trouble: { code: 'overload', text: 'busy' } }, 'none', 'overload'],
])('%s', (_, seen, level, code) => {
  const judgement = judge({ ...CLAIMED, ...seen })
  expect([judgement.level, judgement.outcome.code]).toEqual([level, code])
})

test('a run without a claim whose changes cannot be seen gets the reason instead of counts', () => {
  const unseen = 'its directory /p does not exist any more'
  expect(judge({ ...CLAIMED, said: undefined, unseen }).outcome.text).toBe(
    `ended without saying that it is done (${unseen})`,
  )
})

const untraced = { filesChanged: 0, untraced: 1 }

test.each<[string, Partial<Case>, readonly string[]]>([
  ['a change in a shared checkout', untraced, ['isolation = worktree', '--evidence path:<path>']],
  ['a change where no git is', { ...untraced, where: 'folder' }, ['--cwd', '--evidence none']],
  [
    'a tag or a file elsewhere, from a worktree',
    { ...untraced, where: 'worktree' },
    ['--evidence none', 'a file that its edit tool names is its own'],
  ],
  ['an answer without any tool', { toolCalls: 0, filesChanged: 0 }, ['--close-at claimed']],
  ['an answer without any tool that needs no change', { toolCalls: 0, asked: NONE }, ['--close-at claimed']],
  ['work elsewhere', { filesChanged: 0 }, ['--evidence path:<path>, branch, pr or none']],
  ['work that is not where it was to be', { asked: REPORT }, ['fleet bd update --evidence path:<path>']],
  ['an empty file', { filesChanged: 0, weak: [{ path: 'a', why: 'blank' }] }, ['--evidence path:<path>']],
])('the refusal of a claim names what helps: %s', (_, seen, remedies) => {
  const { outcome } = judge({ ...CLAIMED, ...seen })
  expect(outcome.code).toBe('no-evidence')
  for (const remedy of remedies) expect(outcome.text).toContain(remedy)
})
