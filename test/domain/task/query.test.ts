import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Queried, queryTest } from '../../../src/domain/task/query/meaning.ts'
import { type Expression, parseQuery, queryText } from '../../../src/domain/task/query/syntax.ts'
import { QueryMistake } from '../../../src/domain/task/query/words.ts'
import { BLANK_TASK } from '../../../src/domain/task/task.ts'

const NOW = new Date('2026-05-06T12:00:00Z')

function task(fields: Partial<Queried>): Queried {
  return {
    ...BLANK_TASK,
    id: 'fleet-a1b',
    title: 'Fix the Search box',
    created_at: '2026-05-01T10:00:00Z',
    dependencies: [],
    ...fields,
  }
}

function fits(text: string, fields: Partial<Queried> = {}): boolean {
  return queryTest(parseQuery(text), NOW)(task(fields))
}

describe('an expression', () => {
  test.each([
    ['a=1 OR b=2 AND NOT c=3', '(a=1 OR (b=2 AND NOT c=3))'],
    ['(a=1 or b=2) and c=3', '((a=1 OR b=2) AND c=3)'],
    ['NOT NOT (a=1)', 'NOT NOT a=1'],
    [`Title="two \\"words\\"\\n"`, 'title=two "words"\n'],
    ['label=team:web AND metadata.Jira/Sprint=42', '(label=team:web AND metadata.Jira/Sprint=42)'],
    [
      'label=1-alpha AND label=42day AND created>2026-01-05 AND updated<7d',
      '(((label=1-alpha AND label=42day) AND created>2026-01-05) AND updated<7d)',
    ],
    ['größe=ü', 'größe=ü'],
  ])('%s is read as %s', (text, read) => {
    expect(queryText(parseQuery(text))).toBe(read)
  })

  test('is parsed back from its own text', () => {
    const comparison = fc.record({
      kind: fc.constant('comparison' as const),
      field: fc.constantFrom('status', 'label', 'metadata.Key', 'x_1'),
      operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>=') as fc.Arbitrary<'='>,
      value: fc.constantFrom('open', 'team:web', '7d', '-3', '12', '1-alpha', 'ä.b/c'),
      ago: fc.constant(false),
    })
    const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 5 },
        comparison,
        fc.record({ kind: fc.constant('not' as const), operand: tie('expression') }),
        fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          left: tie('expression'),
          right: tie('expression'),
        }),
      ),
    }))
    fc.assert(
      fc.property(expression, (given) => {
        const told = queryText(given)
        expect(queryText(parseQuery(told))).toBe(told)
      }),
    )
  })

  test('is either parsed or refused with a reason, and nothing else is thrown', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'()=!<>"\\ -+7dANDORT,ö.*') }))
    fc.assert(
      fc.property(text, (given) => {
        try {
          queryTest(parseQuery(given), NOW)(task({}))
        } catch (error) {
          expect(error).toBeInstanceOf(QueryMistake)
        }
      }),
    )
  })

  test('that nests deeper than the stack is refused', () => {
    expect(() => parseQuery('('.repeat(100_000))).toThrow(new QueryMistake('a query has at most 2000 words'))
    const many = Array.from({ length: 400 }, () => 'priority=2').join(' OR ')
    expect(fits(many, { priority: 2 })).toBe(true)
  })
})

describe('a comparison', () => {
  test.each<[string, Partial<Queried>, boolean]>([
    ['status=OPEN', {}, true],
    ['status!=open', {}, false],
    ['priority!=2', { priority: 1 }, true],
    ['assignee=none', {}, true],
    ['assignee!=none', { assignee: 'bob' }, true],
    ['label=ui', { labels: ['api', 'ui'] }, true],
    ['label!=ui', { labels: ['ui'] }, false],
    ['labels=null', { labels: ['ui'] }, false],
    ['title=search', {}, true],
    ['desc=none', { description: 'x' }, false],
    ['id="fleet-*"', {}, true],
    ['id=fleet', {}, false],
    ['spec=docs/', { spec_id: 'docs/a.md' }, true],
    ['created>5d', {}, false],
    ['created>6d', {}, true],
    ['created<=2026-05-01', {}, true],
    ['created<2026-05-01', {}, false],
    ['created=2026-05-01', {}, true],
    ['created!=2026-05-01', {}, false],
    ['closed<1d', {}, false],
    ['NOT closed<1d', {}, true],
    ['started>=2026-01-01', { started_at: '2026-01-01T00:00:00Z' }, true],
    ['pinned=no', {}, true],
    ['metadata.points=3', { metadata: { points: 3 } }, true],
    ['metadata.constructor=x', {}, false],
    ['has_metadata_key=toString', {}, false],
    ['mol_type=swarm', { extra: { mol_type: 'swarm' } }, true],
    [
      'parent=fleet-p',
      {
        dependencies: [
          {
            issue_id: 'fleet-a1b',
            depends_on_id: 'fleet-p',
            type: 'parent-child',
            created_at: '',
            created_by: '',
            metadata: '',
            thread_id: '',
          },
        ],
      },
      true,
    ],
  ])('%s of %j is %s', (text, fields, answer) => {
    expect(fits(text, fields)).toBe(answer)
  })

  test('is validated even if no task reaches it', () => {
    expect(() => fits('status=open OR nonsense=1')).toThrow(new QueryMistake('unknown field: nonsense'))
    expect(() => fits('constructor=1')).toThrow(new QueryMistake('unknown field: constructor'))
  })
})
