import { expect, test } from 'vitest'
import { inPlace } from '../../src/workspace/in-place.ts'
import { codexSaying, reviewing } from '../support/reviewing.ts'
import { commit, git, put } from '../support/verifying.ts'

const PASS = codexSaying('Looks right.\n{"verdict": "pass", "reasons": []}')
const PASSES = `cat <<'END'\n${PASS}\nEND`
const NO_CHANGES = { files: [], commits: [], artifacts: [] }

test.each([
  ['is killed', `kill -9 $$`, {}, 'its process was killed from outside (SIGKILL), as when memory runs out'],
  ['takes too long', 'sleep 600', { verifyTimeout: 2000 }, 'its process did not end within 2 s (timeouts.verify)'],
  ['fails', 'exit 3', {}, 'its process ended with exit status 3'],
  [
    'reports trouble',
    `echo '{"type":"turn.failed","error":{"message":"Invalid prompt: flagged"}}'; exit 1`,
    {},
    'Invalid prompt: flagged',
  ],
])('the verdict of a reviewer that %s afterwards does not count: a person decides', async (_, after, policy, why) => {
  const { review } = await reviewing(`cat <<'END'\n${PASS}\nEND\n${after}`)
  expect(await review({}, policy)).toMatchObject({ kind: 'needs-person', text: `not reviewed by codex: ${why}` })
})

test('work is reviewed also where it is no file of the project: the reviewer is told where its output is', async () => {
  const { review, prompts } = await reviewing(PASSES)
  const artifacts = '/tasks/a/artifacts'
  expect(await review({ artifacts, changes: { ...NO_CHANGES, artifacts: ['report.md'] } })).toMatchObject({
    kind: 'passed',
    commands: [{ failing: '', tail: 'Looks right.\n{"verdict": "pass", "reasons": []}' }],
  })
  expect(prompts()).toEqual([expect.stringContaining('- /tasks/a/artifacts/report.md\n')])
})

test('a claim that shows no work is not reviewed, and that is a warning', async () => {
  const { review, prompts } = await reviewing(PASSES)
  const text = 'there is nothing to review'
  const skipped = { kind: 'skipped', text, warnings: [`not reviewed by codex: ${text}`] }
  expect([await review({ changes: undefined }), await review({ changes: NO_CHANGES })]).toEqual([skipped, skipped])
  expect(prompts()).toEqual([])
})

test('the reviewer sees the commits of a branch that was pushed and deleted here', async () => {
  const { review, prompts, project } = await reviewing(PASSES)
  commit(project, { 'a.txt': 'old\n' })
  const base = await inPlace.base(project, '/nowhere')
  git(project, 'checkout', '-q', '-b', 'topic')
  const commits = [commit(project, { 'a.txt': 'new\n' }), commit(project, { 'b.txt': 'fresh\n' })].reverse()
  git(project, 'checkout', '-q', 'main')
  git(project, 'branch', '-q', '-D', 'topic')
  put(project, { 'c.txt': 'not committed\n' })
  const files = ['a.txt', 'b.txt', 'c.txt']
  expect(await review({ base, changes: { ...NO_CHANGES, files, commits } })).toMatchObject({ kind: 'passed' })
  const [prompt] = prompts()
  expect(prompt).toMatch(/> \+not committed\n.*> -old\n> \+new\n.*> \+fresh\n/s)
  expect(prompt).not.toContain('at all or only in part')
})

test('of a long list of files the reviewer sees the changes of these alone', async () => {
  const { review, prompts, project } = await reviewing(PASSES)
  const named = (text: string) =>
    Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`${i}.txt`, `${text} ${i}\n`]))
  commit(project, { ...named('old'), 'other.txt': 'old\n' })
  const base = await inPlace.base(project, '/nowhere')
  put(project, { ...named('new'), 'other.txt': 'by another\n' })
  expect(await review({ base, changes: { ...NO_CHANGES, files: Object.keys(named('')) } })).toMatchObject({
    kind: 'passed',
  })
  const [prompt] = prompts()
  expect(prompt?.match(/^> \+new \d+$/gm)).toHaveLength(501)
  expect(prompt).not.toContain('by another')
})

test.each([
  [
    'too long',
    { 'a.txt': 'long '.repeat(50_000), 'b.txt': 'b\n' },
    'This diff shows 2 of the 2 files not at all or only in part',
  ],
  ['unknown', {}, 'No diff could be made of these changes. Read the files in'],
])('a diff that is %s is no secret to the reviewer', async (_, changed, told) => {
  const { review, prompts, project } = await reviewing(PASSES)
  commit(project, { 'a.txt': 'old\n' })
  const base = await inPlace.base(project, '/nowhere')
  put(project, changed)
  await review({ base, changes: { ...NO_CHANGES, files: ['a.txt', 'b.txt'] } })
  expect(prompts()).toEqual([expect.stringContaining(told)])
})

test('a person decides when the reviewer is unknown, has no read-only mode, or is not installed', async () => {
  const { review } = await reviewing()
  const by = (name: string) => review({}, { reviewBy: () => name })
  const needsPerson = (name: string, why: string) => ({
    kind: 'needs-person',
    text: expect.stringMatching(`^not reviewed by ${name}: ${why}`),
  })
  expect([await by('nobody'), await by('shell'), await by('codex')]).toEqual([
    needsPerson('nobody', 'no coder is called nobody'),
    needsPerson('shell', 'fleet knows no read-only mode of shell'),
    needsPerson('codex', 'codex is not on PATH, or not executable'),
  ])
})

test('a reviewer starts none of the MCP servers of the user, and is not started where it does not name them', async () => {
  const listing = (answer: string) => `[ "$1" = mcp ] && { ${answer}; exit; }`
  const named = listing(`echo '[{"name":"files","enabled":true}]'`)
  const { review } = await reviewing(`case "$*" in *mcp_servers.files.enabled=false*) ${PASSES}\n;; esac`, named)
  expect(await review()).toMatchObject({ kind: 'passed' })
  const silent = await reviewing(PASSES, listing('exit 3'))
  expect(await silent.review()).toEqual({
    kind: 'needs-person',
    text: 'not reviewed by codex: it does not name its MCP servers, which a reviewer must not start: codex mcp list --json ended with exit status 3',
  })
  expect(silent.prompts()).toEqual([])
})
