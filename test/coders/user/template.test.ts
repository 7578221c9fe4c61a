import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filled, type Values } from '../../../src/coders/user/template.ts'

const VALUES: Values = { prompt_file: '/a b/prompt.md', model: 'opus', cwd: '/project', session: 's-1' }
const NO_MODEL: Values = { ...VALUES, model: undefined }

test.each<{ what: string; template: string[]; values?: Values; words: string[] }>([
  {
    what: 'placeholders are filled in where they stand',
    template: ['x', '--file={prompt_file}', '{cwd}:{session}', '{model}'],
    words: ['x', '--file=/a b/prompt.md', '/project:s-1', 'opus'],
  },
  {
    what: 'other braces stay',
    template: ['x', '{"a":{}}', '{print}', '{MODEL}', '{constructor}'],
    words: ['x', '{"a":{}}', '{print}', '{MODEL}', '{constructor}'],
  },
  {
    what: 'a word without its value is left out',
    template: ['x', '--model={model}', 'y'],
    values: NO_MODEL,
    words: ['x', 'y'],
  },
  {
    what: 'and so is the flag before it',
    template: ['x', '--model', '{model}', 'y'],
    values: NO_MODEL,
    words: ['x', 'y'],
  },
  {
    what: 'but not what is no flag of it',
    template: ['x', '--a=b', '{model}', 'run', '{model}'],
    values: NO_MODEL,
    words: ['x', '--a=b', 'run'],
  },
  {
    what: 'what a value has in it is not filled in again',
    template: ['{prompt_file}'],
    values: { ...VALUES, prompt_file: '/{model}/$&/$1' },
    words: ['/{model}/$&/$1'],
  },
])('$what', ({ template, values = VALUES, words }) => {
  expect(filled(template, values)).toEqual(words)
})

test('a value that is a whole word never becomes a flag', () => {
  expect(() => filled(['x', '{session}'], { ...VALUES, session: '--yolo' })).toThrow(
    'the session "--yolo" would be taken for a flag',
  )
  expect(filled(['x', '--model={model}'], { ...VALUES, model: '-x' })).toEqual(['x', '--model=-x'])
})

test('each word stays one word, and none is lost, whatever the values are', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (prompt, cwd) => {
      const values = { ...VALUES, prompt_file: `/${prompt}`, cwd: `/${cwd}` }
      expect(filled(['x', '{prompt_file}', '-C{cwd}', 'y'], values)).toEqual(['x', `/${prompt}`, `-C/${cwd}`, 'y'])
    }),
  )
})
