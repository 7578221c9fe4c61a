import { describe, expect, test } from 'vitest'
import { freshState } from '../../src/domain/run/run.ts'
import { NOW, testLedger } from '../support/test-ledger.ts'

describe('a question', () => {
  const asked = {
    task: 'fleet-a',
    run: 'r1',
    askedAt: NOW,
    text: 'which?',
    options: ['this', 'that'],
    suggestion: 'this',
  }
  const open = { answeredAt: null, answeredBy: null, answer: null }

  test('is open until it is answered, and is kept with its task', () => {
    const { ledger, woken } = testLedger()
    const first = ledger.ask(asked)
    expect(first).toEqual({ ...asked, ...open, id: expect.any(Number) })
    const other = ledger.ask({ ...asked, task: 'fleet-b', options: [], suggestion: null })
    const second = ledger.ask({ ...asked, text: 'and now?' })
    expect(ledger.openQuestions()).toEqual([first, other, second])
    const answer = { text: 'that', by: 'anna', at: NOW + 1 }
    const answered = { ...second, answeredAt: NOW + 1, answeredBy: 'anna', answer: 'that' }
    expect(woken.times).toBe(0)
    expect(ledger.answer('fleet-a', answer)).toEqual(answered)
    expect(woken.times).toBe(1)
    expect(ledger.questionsOf('fleet-a')).toEqual([first, answered])
    expect(ledger.openQuestions()).toEqual([first, other])
    expect(ledger.answer('fleet-a', answer)?.id).toBe(first.id)
    expect(ledger.answer('fleet-a', answer)).toBeUndefined()
  })

  test('that was asked or answered on another machine is learnt once; an answer given here is kept', () => {
    const { ledger } = testLedger()
    const state = freshState('fleet-a')
    const own = ledger.ask(asked)
    const elsewhere = { ...asked, ...open, id: 77, run: 'r2', text: 'and there?' }
    expect(ledger.learn(state, [own, elsewhere])).toEqual([{ question: elsewhere, asked: true, answered: false }])
    const given = { answeredAt: NOW + 1, answeredBy: 'bob', answer: 'this' }
    const both = [
      { ...own, ...given },
      { ...elsewhere, ...given },
    ]
    ledger.answer('fleet-a', { text: 'mine', by: 'anna', at: NOW })
    expect(ledger.learn(state, both)).toEqual([{ question: both[0], asked: false, answered: true }])
    expect(ledger.learn(state, both)).toEqual([])
    expect(ledger.questionsOf('fleet-a')).toEqual([
      both[0],
      { ...elsewhere, id: expect.any(Number), answeredAt: NOW, answeredBy: 'anna', answer: 'mine' },
    ])
  })
})

test('a request is pending until it is done, once', () => {
  const { ledger, woken } = testLedger()
  const kill = ledger.request('kill', 'fleet-a', 'anna', NOW)
  const expected = {
    id: expect.any(Number),
    kind: 'kill',
    task: 'fleet-a',
    by: 'anna',
    askedAt: NOW,
    doneAt: null,
    ending: null,
    answer: null,
  }
  expect(kill).toEqual(expected)
  const drain = ledger.request('drain', '', 'anna', NOW + 1)
  expect([woken.times, ledger.pendingRequests()]).toEqual([2, [kill, drain]])
  ledger.endRequest(kill.id, { kind: 'done', at: NOW + 2, text: 'took 3 processes' })
  ledger.endRequest(kill.id, { kind: 'done', at: NOW + 3, text: 'again' })
  expect(ledger.requestById(kill.id)).toEqual({
    ...kill,
    doneAt: NOW + 2,
    ending: 'done',
    answer: 'took 3 processes',
  })
  expect([ledger.pendingRequests(), ledger.requestById(99)]).toEqual([[drain], undefined])
})

test('claiming stays paused until it is resumed, and keeps the name of the first person who paused it', () => {
  const { ledger } = testLedger()
  expect(ledger.paused()).toBeUndefined()
  ledger.pause('anna', NOW)
  ledger.pause('bob', NOW + 1)
  expect(ledger.paused()).toEqual({ by: 'anna', at: NOW })
  ledger.resume()
  ledger.resume()
  expect(ledger.paused()).toBeUndefined()
})
