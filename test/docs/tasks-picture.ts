import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Figures } from '../../src/domain/run/run.ts'
import { Home } from '../../src/platform/files/home.ts'
import { acquireSupervisorLock } from '../../src/platform/sqlite/supervisor-lock.ts'
import { FLEET, run, type TestHome, testHome } from '../support/cli.ts'
import { ended, inLedger, started } from '../support/ledger.ts'
import { terminalSvg } from './svg.ts'

const COLUMNS = 120
const NOW = Date.parse('2026-11-15T09:30:00Z')

interface Agent {
  readonly id: string
  readonly title: string
  readonly coder: string
  readonly model: string | null
  readonly minutes: number
  readonly silentS: number
  readonly context: number
  readonly tokens: number
}

const row = (
  [id, title, coder, model]: readonly [string, string, string, string | null],
  [minutes, silentS, context, tokens]: readonly [number, number, number, number],
): Agent => ({ id: `fleet-${id}`, title, coder, model, minutes, silentS, context, tokens })

const AGENTS: readonly Agent[] = [
  row(['k3q', 'Add a search box to every page', 'claude', 'opus'], [48, 3, 131_000, 4_200_000]),
  row(['m8d', 'Move the cart to the new API', 'claude', 'sonnet'], [31, 12, 96_400, 2_900_000]),
  row(['2xt', 'Find out why the nightly import is slow', 'codex', 'gpt-5-codex'], [27, 8, 88_000, 1_700_000]),
  row(['p0v', 'Translate the checkout into French', 'gemini', 'gemini-3-pro'], [22, 5, 64_000, 910_000]),
  row(['w5j', 'Write tests for the price rules', 'claude', 'sonnet'], [19, 1, 171_000, 3_300_000]),
  row(['c7n', 'Replace the date library', 'opencode', 'glm-5'], [14, 41, 52_100, 640_000]),
  row(['h4z', 'Describe the search in the handbook', 'claude', 'sonnet'], [9, 2, 38_900, 420_000]),
  row(['y1s', 'Make the product images smaller', 'codex', 'gpt-5-codex'], [6, 19, 29_000, 180_000]),
  row(['9rf', 'Run the load test of the cart', 'shell', null], [4, 64, 0, 0]),
  row(['b6g', 'Remove what the linter calls unused', 'gemini', 'gemini-3-flash'], [1, 0, 17_300, 36_000]),
]

/** `fleet tasks` with ten agents at work, as a terminal of 120 columns shows it. */
export function tasksPicture(): string {
  const home = testHome()
  for (const agent of AGENTS) atWork(home, agent)
  needsPerson(home)
  const lock = acquireSupervisorLock(new Home(home.path), { version: '1.0.0', now: NOW, flags: {} })
  if (lock.kind === 'taken') throw new Error('another supervisor runs in a new home')
  onTestFinished(() => lock.lock[Symbol.dispose]())
  const command = `stty cols ${COLUMNS} rows 40; '${process.execPath}' '${FLEET}' tasks`
  const { stdout } = run('script', ['-qec', command, '/dev/null'], {
    env: {
      FLEET_HOME: home.path,
      TERM: 'xterm',
      TZ: 'UTC',
      NODE_OPTIONS: `--require=${resolve(import.meta.dirname, 'slow-clock.cjs')}`,
      SLOW_CLOCK: String(NOW),
    },
  })
  return terminalSvg(`$ fleet tasks\n${stdout.replaceAll(home.project, '/home/you/shop')}`, {
    columns: COLUMNS,
    title: 'fleet tasks with ten agents at work',
  })
}

function atWork(home: TestHome, { id, title, coder, model, minutes, silentS, context, tokens }: Agent): void {
  create(home, id, title, '--coder', coder)
  const known: Partial<Figures> =
    context === 0 ? {} : { session: id, contextPeak: context, contextWindow: 200_000, usage: { cacheRead: tokens } }
  started(home, id, {
    title,
    coder,
    lane: coder,
    model,
    startedAt: NOW - minutes * 60_000,
    figures: { ...known, events: minutes * 9, lastEventAt: NOW - silentS * 1000 },
  })
}

/** A question, and a task that fleet gave up. */
function needsPerson(home: TestHome): void {
  const [asks, fails] = ['fleet-t2e', 'fleet-n8u']
  create(home, asks, 'Sort the results')
  create(home, fails, 'Upgrade the database')
  const question = started(home, asks, { startedAt: NOW - 3_600_000 })
  ended(home, question, { code: 'question', text: 'Which results come first?' })
  const failure = started(home, fails, { startedAt: NOW - 3_600_000 })
  const next = { to: 'blocked', notes: '3 attempts failed; last: npm test fails' } as const
  ended(home, failure, { code: 'error', text: 'npm test fails' }, { next })
  for (const id of [asks, fails]) home.bd(['update', id, '--status', 'blocked'])
  inLedger(home, (ledger) =>
    ledger.ask({
      task: asks,
      run: question.id,
      askedAt: NOW - 60_000,
      text: 'Which results come first?',
      options: ['newest', 'best match'],
      suggestion: null,
    }),
  )
}

function create(home: TestHome, id: string, title: string, ...more: readonly string[]): void {
  const made = home.bd(['create', title, '--id', id, ...more])
  if (made.code !== 0) throw new Error(made.stderr)
}
