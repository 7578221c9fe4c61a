import { expect, test } from 'vitest'
import type { AskedEvidence } from '../../../src/domain/evidence/asked.ts'
import type { AskedBase, Base } from '../../../src/ports/workspace.ts'
import { firstAsked } from '../../../src/supervisor/ending/first-asked.ts'

const base = (asked?: AskedBase): Base => ({
  ...{ kind: 'folder', cwd: '/p', files: {}, filesWhole: true },
  ...(asked && { asked }),
})
const at = (path: string, ...names: readonly string[]): AskedBase => ({
  evidence: { kind: 'path', path },
  path: { path: `/p/${path}`, files: Object.fromEntries(names.map((name) => [name, '1'])), whole: true },
})
const BRANCH: AskedEvidence = { kind: 'branch' }

test('the evidence is compared with what stood there before the first attempt', () => {
  expect(firstAsked([base(at('dist')), base(at('dist', 'out.js'))], 7)).toEqual(at('dist'))
  expect(
    firstAsked(
      [
        { evidence: BRANCH, refs: {} },
        { evidence: BRANCH, refs: { v1: 'a' } },
      ].map(base),
      7,
    ),
  ).toEqual({
    evidence: BRANCH,
    refs: {},
  })
  expect(firstAsked([base(at('dist')), base()], 7)).toBeUndefined()
})

test('if it is asked for only since then, the times decide', () => {
  const times = { files: {}, whole: false, since: 7 }
  for (const first of [base(), base(at('other'))])
    expect(firstAsked([first, base(at('dist', 'out.js'))], 7)).toEqual({
      ...at('dist'),
      path: { path: '/p/dist', ...times },
    })
  const refs = { evidence: BRANCH, refs: { v1: 'a' } }
  expect(firstAsked([base(), base(refs)], 7)).toEqual(refs)
})
