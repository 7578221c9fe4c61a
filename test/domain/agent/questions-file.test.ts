import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerBelow, answerBlock, blocksOf, questionBlock } from '../../../src/domain/agent/questions-file.ts'
import { appendAnswer, appendQuestion } from '../../../src/store/questions-file.ts'
import { temporaryFolder } from '../../support/cli.ts'

const AT = new Date(2026, 0, 2, 3, 4).getTime()
const asked = (text: string) => ({ text, options: [], suggestion: null, at: AT })

test('a question and its answer are blocks with the time, to the minute', () => {
  const question = questionBlock('', { text: 'Which one?', options: ['a', 'b'], suggestion: 'a', at: AT })
  const content = `${question}${answerBlock(question, { text: 'b', at: AT })}`
  expect(content).toBe(
    '## Q: 2026-01-02 03:04\n<!-- fleet -->\nWhich one?\n- a\n- b\nSuggested: a\n\n## A: 2026-01-02 03:04\n<!-- fleet -->\nb\n',
  )
  expect(blocksOf(content)).toEqual([
    { kind: 'Q', at: '2026-01-02 03:04', text: 'Which one?\n- a\n- b\nSuggested: a', writtenByFleet: true },
    { kind: 'A', at: '2026-01-02 03:04', text: 'b', writtenByFleet: true },
  ])
})

test('questions and answers are read back unchanged, and no text can fake another block', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('## Q: x', '## A: 2026-01-01 10:00', '\\## A: yes', '  # answer: no', '<!-- fleet -->', '\\<!-- x'),
  )
  const text = fc.array(line, { minLength: 1 }).map((lines) => lines.join('\n').replace(/\r/g, '').trim())
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (talks) => {
      let content = ''
      for (const [question, answer] of talks) {
        content += questionBlock(content, asked(question))
        content += answerBlock(content, { text: answer, at: AT })
      }
      expect(blocksOf(content).map((block) => block.text)).toEqual(talks.flat())
    }),
  )
})

test('any file can be read', () => {
  fc.assert(
    fc.property(fc.string(), (content) => {
      for (const { kind } of blocksOf(content)) expect(['Q', 'A']).toContain(kind)
      expect(answerBelow(content) ?? 'none').not.toBe('')
    }),
  )
})

test('an answer written by hand below the last question is found, even if its form is slightly off', () => {
  const question = '## Q: 2026-01-01 10:00\nWhich database?\n'
  expect(answerBelow(question)).toBeUndefined()
  expect(answerBelow(`${question}\n## A: 2026-01-01 11:30\n\n`)).toBeUndefined()
  for (const answer of [
    '## A: 2026-01-01 11:30\nSQLite\n',
    '## A:\r\nSQLite\r\n',
    '### a: SQLite',
    '##Answer: 2026-01-01T11:30:00Z\n\nSQLite',
  ]) {
    expect(answerBelow(`${question}\n${answer}`)).toBe('SQLite')
  }
  expect(answerBelow(`${question}\n## A: \nSQLite\n${question}`)).toBeUndefined()
  expect(answerBelow('## Approach: SQLite\n')).toBeUndefined()
})

test('a question that is already at the end is not written twice', () => {
  const once = questionBlock('', asked('Which one?'))
  expect(questionBlock(once, asked('Which one?'))).toBe('')
  expect(questionBlock('# Notes\n\n## Q: 2026-01-01 10:00\nIn my own words\n', asked('A summary'))).toBe('')
  expect(questionBlock(once, asked('And this?'))).not.toBe('')
  const answered = `${once}${answerBlock(once, { text: 'a', at: AT })}`
  expect(questionBlock(answered, asked('Which one?'))).not.toBe('')
})

test('only its owner can read the file, and anything an agent put in its place is left alone', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'artifacts', 'Q&A.md')
  appendQuestion(join(folder, 'artifacts'), asked('Which one?'))
  appendAnswer(join(folder, 'artifacts'), { text: 'a', at: AT })
  expect([readFileSync(path, 'utf8').split('\n').length, statSync(path).mode & 0o777]).toEqual([8, 0o600])

  const mine = join(folder, 'mine')
  writeFileSync(mine, 'mine')
  for (const [name, make] of Object.entries({
    link: (at: string) => symlinkSync(mine, at),
    pipe: (at: string) => execFileSync('mkfifo', [at]),
    folder: (at: string) => mkdirSync(at),
  })) {
    const artifacts = join(folder, name)
    mkdirSync(artifacts)
    make(join(artifacts, 'Q&A.md'))
    expect(() => appendAnswer(artifacts, { text: 'x', at: AT })).toThrow(/Q&A.md/)
  }
  symlinkSync(folder, join(folder, 'elsewhere'))
  expect(() => appendAnswer(join(folder, 'elsewhere'), { text: 'x', at: AT })).toThrow('its folder is a link')
  expect(readFileSync(mine, 'utf8')).toBe('mine')
})
