import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { agentReviewCheck } from '../../src/checks/review.ts'
import type { Policy } from '../../src/domain/fleet/policy.ts'
import type { CheckVerdict } from '../../src/domain/run/check-result.ts'
import { NO_FIGURES, type Run } from '../../src/domain/run/run.ts'
import type { CheckSubject } from '../../src/ports/checks.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { LanePlaces } from '../../src/supervisor/lane-places.ts'
import { temporaryFolder } from './cli.ts'
import { ownerOf } from './git-owner.ts'
import { type TestWorld, testWorld } from './world.ts'

/** The review by another coder, in this process, of work in a project of its own. */
export interface Reviewing {
  readonly project: string
  readonly run: Run
  readonly ledger: Ledger
  readonly logged: TestWorld['logged']
  /** undefined: the check does not apply. */
  review(
    subject?: Partial<CheckSubject>,
    policy?: Partial<Policy>,
    signal?: AbortSignal,
  ): Promise<CheckVerdict | undefined>
  /** The prompts that the reviewer got. */
  prompts(): readonly string[]
}

/** The answer of a codex without MCP servers. */
export const MCP_LIST = `[ "$1" = mcp ] && echo '[]' && exit`

/** A line of its output for each event. `text`: its last message. */
export function codexSaying(text: string): string {
  const events = [
    { type: 'thread.started', thread_id: 't-1' },
    { type: 'item.completed', item: { id: 'i1', type: 'agent_message', text } },
    { type: 'turn.completed', usage: { input_tokens: 5, cached_input_tokens: 0, output_tokens: 1 } },
  ]
  return events.map((each) => JSON.stringify(each)).join('\n')
}

/** `script`: the lines of sh that are codex, after it has read its prompt; absent: it is not installed. */
export async function reviewing(script?: string, mcpList = MCP_LIST): Promise<Reviewing> {
  const { world, store, logged } = await testWorld()
  const lanes = new LanePlaces(() => world)
  const folder = temporaryFolder()
  const project = temporaryFolder()
  const program = join(folder, 'codex')
  if (script !== undefined)
    writeFileSync(
      program,
      `#!/bin/sh\n${mcpList}\nmktemp '${folder}/prompt-XXXXXX' > taken; cat > "$(cat taken)"\n${script}\n`,
      {
        mode: 0o755,
      },
    )
  const id = crypto.randomUUID()
  onTestFinished(() => {
    for (const [mark, found] of world.agents.sweep(0)) {
      if (mark.startsWith(id)) for (const each of found) world.agents.kill(each)
    }
  })
  const run = { ...RUN, id, cwd: project, project }
  const usual: CheckSubject = {
    run,
    folder,
    artifacts: join(folder, 'artifacts'),
    changes: { files: ['a.txt'], commits: [], artifacts: [] },
    base: undefined,
    work: undefined,
    closeAt: 'evidenced',
    waits: () => {},
    verify: undefined,
    portBase: undefined,
  }
  return {
    project,
    run,
    ledger: store.ledger,
    logged,
    async review(subject = {}, policy = {}, signal = new AbortController().signal) {
      const check = agentReviewCheck({
        home: world.home,
        agents: world.agents,
        records: store.ledger.verify,
        environment: world.environment,
        log: world.log,
        ownerOf,
        namespace: () => false,
        policy: () => ({ ...world.policy(), reviewBy: () => 'codex', ...policy }),
        coders: world.coders,
        ledger: store.ledger,
        queue: store.queue,
        machine: {
          findProgram: () => (script === undefined ? undefined : program),
          hasPidNamespaces: false,
          isRoot: false,
        },
        lanes,
      })
      const order = { ...usual, ...subject }
      return check.appliesTo(order) ? await check.run(order, signal) : undefined
    },
    prompts: () =>
      readdirSync(folder)
        .filter((name) => name.startsWith('prompt-'))
        .map((name) => readFileSync(join(folder, name), 'utf8')),
  }
}

const RUN: Run = {
  id: '',
  task: 'fleet-a1b',
  attempt: 1,
  claimedBy: 'fleet@test',
  token: 1,
  coder: 'claude',
  model: null,
  lane: 'claude',
  cwd: '',
  project: '',
  title: 'Make it',
  phase: 'checking',
  startedAt: 0,
  endedAt: null,
  proc: null,
  namespace: false,
  resumes: null,
  outcome: null,
  next: null,
  figures: NO_FIGURES,
}
