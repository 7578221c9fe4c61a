import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MCP_LIST } from '../../support/reviewing.ts'
import { claims, type Fleet, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'

const KEY = `sk-ant-api03-${'k'.repeat(40)}`

interface Reviewer {
  /** The prompt of its n-th start. */
  prompt(n: number): string
  /** Arguments, directory and variables of its n-th start. */
  start(n: number): string
  starts(): number
}

/** A codex that says these things, one after the other; the last one again and again. */
function codexSays(fleet: Fleet, texts: readonly string[], before = ''): Reviewer {
  const folder = fleet.stub.folder
  const lines = texts.map((text) =>
    [
      { type: 'thread.started', thread_id: 't-1' },
      { type: 'item.completed', item: { id: 'i1', type: 'agent_message', text } },
      { type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 1 } },
    ].map((each) => JSON.stringify(each)),
  )
  for (const [i, each] of lines.entries()) writeFileSync(join(folder, `said-${i + 1}`), `${each.join('\n')}\n`)
  const program = `#!/bin/sh
${MCP_LIST}
cd_=$(pwd); n=1; while ! mkdir '${folder}'/start-$n 2>/dev/null; do n=$((n+1)); done
{ echo "$@"; echo "$cd_ has: $(ls -A)"; echo "task $FLEET_TASK_ID, key \${FLEET_RUN_KEY:-none}"; } > '${folder}'/start-$n/how
cat > '${folder}'/start-$n/prompt
${before}
echo 'a warning' >&2
if [ -f '${folder}'/said-$n ]; then cat '${folder}'/said-$n; else cat '${folder}'/said-${texts.length}; fi
`
  writeFileSync(join(folder, 'codex'), program)
  chmodSync(join(folder, 'codex'), 0o755)
  const read = (n: number, name: string) => readFileSync(join(folder, `start-${n}`, name), 'utf8')
  const starts = (n = 1): number => (existsSync(join(folder, `start-${n}`)) ? starts(n + 1) : n - 1)
  return { prompt: (n) => read(n, 'prompt'), start: (n) => read(n, 'how'), starts: () => starts() }
}

const PASS = 'Looks right.\n{"verdict": "pass", "reasons": []}'
const REJECT = `Not yet.\n{"verdict": "reject", "reasons": ["made.txt: says nothing of the login", "the key ${KEY} is in it"]}`

function reviewed(more: readonly string[] = []): { fleet: Fleet; project: string } {
  const fleet = testFleet({ config: more })
  const project = fleet.project('repo', { git: true })
  expect(fleet.fleet('config', 'set', `projects.${project}.review_by=codex`)).toMatchObject({ code: 0 })
  return { fleet, project }
}

const STEPS = [
  [init, writes('made.txt', `the work\n ${KEY}\n`), writes('kept.txt', 'changed\n'), claims('made it'), result()],
  [init, writes('made.txt', 'the login\n'), claims('made it again'), result()],
]

test('another coder sends the work back with its reasons, and the agent continues with them', async () => {
  const { fleet, project } = reviewed()
  const codex = codexSays(fleet, [REJECT, PASS])
  const id = fleet.create('Make it', STEPS, '--cwd', project)
  await fleet.start()
  await fleet.ended(id)
  expect(fleet.receipt(id)).toMatchObject({
    level: 'evidenced',
    outcome: {
      code: 'review-rejected',
      text: 'codex reviewed it and sent it back: made.txt: says nothing of the login; the key [redacted] is in it',
    },
    checks: [{ name: 'review', verdict: 'failed', commands: [{ name: 'review by codex', end: 'exited', exit: 0 }] }],
    evidence: { lines: { added: 3, removed: 1, uncounted: 0 } },
  })
  expect(await fleet.settled(id, 'closed')).toMatchObject({ close_reason: 'made it again' })
  expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain('- made.txt: says nothing of the login')
  expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 1 })
  expect(fleet.receipt(id, 2)).toMatchObject({
    level: 'evidenced',
    checks: [{ name: 'review', verdict: 'passed' }],
    evidence: { lines: { added: 2, removed: 1, uncounted: 0 } },
  })

  // Read-only, with nothing of the tree that could configure it, and no letters to fleet.
  const how = codex.start(1).split('\n')
  expect(how[0]).toContain('exec --json --skip-git-repo-check --sandbox=read-only --config=approval_policy=never')
  expect(how[1]).toMatch(/checks\/\d+-review-by-codex\/empty has: $/)
  expect(how[2]).toBe(`task ${id}, key none`)
  const prompt = codex.prompt(1)
  expect(prompt).toContain('> -old\n> +changed\n')
  expect(prompt).toContain('> +the work\n> + [redacted]\n')
  expect(prompt).toContain('- kept.txt\n- made.txt\n')
  expect(prompt).toContain('> made it')
  expect(prompt).not.toContain(KEY)
})

test.each([
  ['its answer is no verdict', 'I accept this work.', 'not reviewed by codex: its last message had no valid verdict'],
  ['it passes, and a person is asked for', PASS, 'done and evidenced; reviewed is asked for'],
])('a person decides when %s', async (_, text, reason) => {
  const { fleet, project } = reviewed(['close_at=reviewed'])
  codexSays(fleet, [text])
  const id = fleet.create('Make it', STEPS, '--cwd', project)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id).outcome).toEqual({ code: 'needs-review', text: reason })
})

test('a script has nothing that a reviewer could look at, and its receipt says so', async () => {
  const { fleet, project } = reviewed()
  const id = fleet.create('Tidy up', 'true', '--cwd', project)
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id)).toMatchObject({
    checks: [{ name: 'review', verdict: 'skipped', text: 'there is nothing to review' }],
    warnings: ['not reviewed by codex: there is nothing to review'],
  })
})

test('a reviewer outlives its supervisor, and is not started twice', async () => {
  const { fleet, project } = reviewed()
  const go = join(fleet.home.path, 'go')
  const codex = codexSays(fleet, [PASS], `while [ ! -f '${go}' ]; do sleep 0.1; done`)
  const id = fleet.create('Make it', [[...(STEPS[0] ?? []), tool()]], '--cwd', project)
  await fleet.start()
  await expect.poll(() => codex.starts(), { timeout: 60_000 }).toBe(1)
  await fleet.start('SIGKILL')
  const started = () => fleet.log().filter(({ event }) => event === 'supervisor-started').length
  await expect.poll(started, { timeout: 60_000 }).toBe(2)
  writeFileSync(go, '')
  await fleet.settled(id, 'closed')
  expect(codex.starts()).toBe(1)
  expect(fleet.runs(id)).toHaveLength(1)
})

test('a review waits for the account of its reviewer, and other work goes on meanwhile', async () => {
  const { fleet, project } = reviewed(['max_concurrent=1'])
  const limit = 'You hit your usage limit. Try again later.'
  const failing = JSON.stringify({ type: 'turn.failed', error: { message: limit } })
  const codex = codexSays(fleet, [PASS], `[ $n = 1 ] && { echo '${failing}'; exit 1; }`)
  const id = fleet.create('Make it', STEPS, '--cwd', project)
  await fleet.start()
  await expect.poll(() => fleet.ledger.lanes(), { timeout: 60_000 }).toMatchObject([{ name: 'codex', state: 'paused' }])
  const other = fleet.create('Tidy up', 'true')
  await fleet.settled(other, 'closed')
  expect(fleet.fleet('show', id).stdout).toMatch(/its review by codex waits, until .*: You hit your usage limit/)
  expect(fleet.fleet('tasks').stdout).toMatch(/waiting for a review by codex/)
  expect(JSON.parse(fleet.fleet('tasks', '--json').stdout).running).toMatchObject([
    { id, review_waits: { coder: 'codex', reason: limit, until: expect.any(String) } },
  ])
  expect(fleet.fleet('resume')).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect([codex.starts(), fleet.runs(id)]).toMatchObject([2, [{ outcome: { code: 'done' } }]])
  expect(fleet.receipt(id).checks).toMatchObject([
    {
      verdict: 'passed',
      commands: [{ exit: 1 }, { exit: 0 }],
      usage: { input: 5, output: 1, cost_usd: null },
    },
  ])
})
