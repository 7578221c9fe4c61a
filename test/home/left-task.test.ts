import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { leftTask, questionsIn, setRecordsAside } from '../../src/home/left-task.ts'
import { Home } from '../../src/platform/files/home.ts'
import { temporaryFolder } from '../support/cli.ts'

const SINCE = Date.parse('2026-09-01T00:00:00Z')

test('questions of Q&A.md are paired with the answers below them, and the last one may be open', () => {
  const text = `# Questions

## Q: 2026-08-01 10:00
Which database?

## A: 2026-08-01 11:00
Postgres.

## A:
Or SQLite.

## Q: Which port?
`
  expect(
    questionsIn('fleet-a', text, SINCE).map(({ run, text: asked, answer, answeredBy }) => [
      run,
      asked,
      answer,
      answeredBy,
    ]),
  ).toEqual([
    ['question-1', 'Which database?', 'Postgres.\n\nOr SQLite.', 'hand'],
    ['question-2', 'Which port?', null, null],
  ])
  expect(questionsIn('fleet-a', text, SINCE)[1]?.askedAt).toBe(SINCE)
  expect(questionsIn('fleet-a', 'nothing', SINCE)).toEqual([])
})

const ODD: Readonly<Record<string, (path: string) => void>> = {
  link: (path) => symlinkSync('/etc/passwd', path),
  'link to nowhere': (path) => symlinkSync('/nowhere/at/all', path),
  'link to itself': (path) => symlinkSync(path, path),
  pipe: (path) => execFileSync('mkfifo', [path]),
  directory: (path) => mkdirSync(path),
}

const FILES = ['.failures', 'artifacts/Q&A.md', 'artifacts', 'attempts', 'task.json']

test.each(FILES.flatMap((file) => Object.keys(ODD).map((kind) => [kind, file] as const)))(
  'a %s at %s counts as absent, is named, and does not stop the take-over',
  (kind, file) => {
    const home = new Home(temporaryFolder())
    const path = join(home.task('fleet-a'), file)
    mkdirSync(dirname(path), { recursive: true })
    ODD[kind]?.(path)
    const left = leftTask(home, 'fleet-a', SINCE)
    expect(left).toMatchObject({ settings: {}, failures: 0, attempts: 0, questions: [] })
    const isFolder = kind === 'directory' && ['artifacts', 'attempts'].includes(file)
    const isNotThere = kind === 'link to nowhere' && file === 'attempts'
    const named = isFolder || isNotThere ? [] : [expect.stringContaining(path)]
    expect(left.unread).toEqual(named)
    setRecordsAside(home, 'fleet-a', left)
  },
)

test('odd files leave everything else of the task as it is', () => {
  const home = new Home(temporaryFolder())
  const folder = home.task('fleet-a')
  mkdirSync(join(folder, 'attempts', '3'), { recursive: true })
  writeFileSync(join(folder, '.failures'), '2\n')
  writeFileSync(join(folder, 'artifacts'), 'no folder')
  mkdirSync(home.task('fleet-b'))
  writeFileSync(join(home.task('fleet-b'), 'attempts'), 'no folder')
  expect(leftTask(home, 'fleet-b', SINCE).unread).toEqual([`${home.task('fleet-b')}/attempts: it is not a directory`])
  expect(leftTask(home, 'fleet-a', SINCE)).toEqual({
    settings: {},
    failures: 2,
    attempts: 3,
    questions: [],
    unread: [`${folder}/artifacts: it is not a directory`],
  })
})
