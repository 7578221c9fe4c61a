import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createLocalQueue, openLedger } from '../../src/app.ts'
import { projectVerifier } from '../../src/checks/verifier.ts'
import { loadConfig } from '../../src/config/load.ts'
import { policyOf } from '../../src/config/policy.ts'
import type { LogEventName } from '../../src/domain/fleet/log-event.ts'
import type { Policy } from '../../src/domain/fleet/policy.ts'
import type { VerifyCommand } from '../../src/domain/verify/verification.ts'
import { Home } from '../../src/platform/files/home.ts'
import { localAgents } from '../../src/platform/process/agents.ts'
import { exitKeysOf } from '../../src/platform/process/exit-keys.ts'
import type { Agents } from '../../src/ports/agents.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { AttemptWork, BaseVerification, Verification, Verifier, VerifyOrder } from '../../src/ports/verifier.ts'
import type { Base } from '../../src/ports/workspace.ts'
import { run, temporaryFolder } from './cli.ts'
import { ownerOf } from './git-owner.ts'

/** A verifier in this process, with real commands, on a new home. */
export interface Verifying {
  /** The project, which is also where the task works. */
  readonly project: string
  readonly ledger: Ledger
  readonly agents: Agents
  readonly logged: readonly (readonly [event: LogEventName, fields: object])[]
  /** As a supervisor does it; again under the same subject, as the next supervisor does it. */
  verify(commands: readonly VerifyCommand[], more?: More): Promise<Verification>
  /** The check with the base version, for work since this commit; null: there was none. */
  withBase(commands: readonly VerifyCommand[], work: BaseWork): Promise<BaseVerification>
  /** Of the subject. */
  forget(): void
  /** Another verifier on the same home, which has started none of the commands: the next supervisor's. */
  next(): Verifying
}

interface BaseWork extends Omit<More, 'changed'> {
  readonly changed: readonly string[]
  readonly base: Base
  /** Earlier attempts whose work nobody has accepted. */
  readonly earlier?: readonly AttemptWork[]
  readonly others?: readonly string[]
}

interface More extends Partial<VerifyOrder> {
  readonly signal?: AbortSignal
  readonly policy?: Partial<Omit<Policy, 'limits'>> & { readonly limits?: Partial<Policy['limits']> }
}

export const named = (command: string, name = 'verify'): VerifyCommand => ({ name, command })

/** `checks`: where the commands' files are, if not beside the home. */
export async function verifying({ checks }: { checks?: string } = {}): Promise<Verifying> {
  const folder = temporaryFolder()
  const [home, project] = [new Home(join(folder, 'home')), join(folder, 'project')]
  for (const path of [home.path, project]) mkdirSync(path)
  createLocalQueue(home)
  const usual = policyOf((await loadConfig(home.config)).config)
  return on(home, { folder: checks ?? folder, project, usual })
}

function on(home: Home, at: { folder: string; project: string; usual: Policy }): Verifying {
  const { folder, project, usual } = at
  const ledger = openLedger(home)
  const agents = localAgents({ keysOf: (run) => exitKeysOf(run, ledger.secret()) })
  const logged: (readonly [LogEventName, object])[] = []
  const order = { subject: SUBJECT, task: 'fleet-a1b', folder: join(folder, 'checks'), cwd: project, project }
  onTestFinished(() => {
    for (const [mark, found] of agents.sweep(0)) {
      if (mark.startsWith(SUBJECT)) for (const each of found) agents.kill(each)
    }
    ledger[Symbol.dispose]()
  })
  return {
    project,
    ledger,
    agents,
    logged,
    async verify(commands, { signal = new AbortController().signal, policy = {}, ...more } = {}) {
      return await verifierFor(commands, policy).verify({ ...order, ...more }, signal)
    },
    async withBase(commands, { signal = new AbortController().signal, policy = {}, ...given }) {
      const { changed, base, earlier = [], others = [], ...more } = given
      const work = { attempts: [...earlier, { base, since: Date.now(), changed }], others }
      return await verifierFor(commands, policy).verifyWithBase({ ...order, ...more }, work, signal)
    },
    forget: () => verifierFor([], {}).forget(SUBJECT),
    next: () => on(home, at),
  }

  function verifierFor(commands: readonly VerifyCommand[], policy: NonNullable<More['policy']>): Verifier {
    return projectVerifier({
      home: home.path,
      agents,
      records: ledger.verify,
      environment: {
        of: () => ({}),
        ofProject: ({ id, task }) => ({ PATH: process.env['PATH'] ?? '', FLEET_RUN_ID: id, FLEET_TASK_ID: task }),
        redact: (text) => text.replaceAll('hunter2', '[redacted]'),
      },
      log: (event, ...[fields]) => void logged.push([event, fields ?? {}]),
      ownerOf,
      namespace: () => false,
      policy: () => ({
        ...usual,
        verify: () => ({ path: project, commands }),
        ...policy,
        limits: { ...usual.limits, grace: 500, ...policy.limits },
      }),
    })
  }
}

/** Of this process alone: tests run side by side. */
export const SUBJECT = `run-${process.pid}-${Math.random().toString(36).slice(2, 8)}`

/** In a project, as a person without a configuration. */
export function git(cwd: string, ...argv: readonly string[]): string {
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@localhost']
  const ran = run('git', [...as, ...argv], { cwd })
  if (ran.code !== 0) throw new Error(ran.stderr)
  return ran.stdout.trim()
}

/** Commits these files, and returns the commit. */
export function commit(project: string, files: Readonly<Record<string, string>>): string {
  if (!existsSync(join(project, '.git'))) git(project, 'init', '-q', '-b', 'main')
  put(project, files)
  git(project, 'add', '.')
  git(project, 'commit', '-q', '--allow-empty', '-m', 'Next')
  return git(project, 'rev-parse', 'HEAD')
}

export function put(project: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
}
