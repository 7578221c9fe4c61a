import { expect, test } from 'vitest'
import { opencode } from '../../src/coders/opencode.ts'
import { streamsOf } from '../support/coder-streams.ts'
import { RECORDINGS } from '../support/opencode-recordings.ts'

const { names, shown } = streamsOf(opencode)

test('every recording has its expectation, and every expectation its recording', () => {
  expect(names.sort()).toEqual(Object.keys(RECORDINGS).sort())
})

test.each(Object.entries(RECORDINGS))('%s is judged and counted as it was', (name, recording) => {
  expect(shown(name, recording.exit)).toEqual(recording)
})
