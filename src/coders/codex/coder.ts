import type { Digest } from '../../domain/run/digest.ts'
import type { Trouble } from '../../domain/run/event.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Coder, Launch, Order, Verdict } from '../../ports/coder.ts'
import { lost, toldTrouble } from '../shared/ending.ts'
import { resetIn } from '../shared/reset-in.ts'
import { localZone, resetTime } from '../shared/reset-time.ts'
import { ALWAYS } from './always.ts'
import { codexDescriptor } from './descriptor.ts'
import { codexEvents, codexOutputs } from './events.ts'
import { hookSettings } from './hooks.ts'
import { launchReviewer, mcpServers } from './reviewer.ts'
import { rolloutReader } from './rollout.ts'
import { rolloutPlace } from './session-files.ts'
import { troubleBeforeSession, withoutNoise } from './trouble.ts'

const { name, defaultModel, contextWindow } = codexDescriptor

/** Codex, headless. */
export const codex: Coder = {
  name,
  binary: 'codex',
  settingsFiles: ['~/.codex/config.toml', '~/.codex/hooks.json', '.codex/config.toml', '.codex/hooks.json'],
  traits: {
    claim: 'explicit',
    evidence: 'work',
    resume: true,
    hooks: true,
    stream: 'json',
    contextWindow,
    defaultModel,
  },
  launch,
  launchReviewer,
  mcpServers,
  parse: codexEvents,
  outputs: codexOutputs,
  subagents: { startedBy: ['spawn_agent'], calls: 'untold' },
  verdict,
  sidecar: { place: rolloutPlace, reader: rolloutReader },
}

/** Its sandbox lets a run write to its directory and to temporary files, but not to `.git`, and blocks the network. */
const PERMISSIONS: Record<Order['permissions'], readonly string[]> = {
  full: ['--dangerously-bypass-approvals-and-sandbox'],
  workspace: ['--sandbox=workspace-write', '--config=approval_policy=never'],
  settings: [],
}

/**
 * Keeps AGENTS.md, also the user's, and the login. Drops the user's config.toml, with its provider and model.
 */
const LEAN = [
  '--ignore-user-config',
  '--config=skills.include_instructions=false',
  '--config=features.plugins=false',
  '--config=features.apps=false',
]

/** Flags come before `resume`, which knows only some of them. `-`: the prompt is on stdin, hidden from other users. */
function launch(order: Order): Launch {
  const model = order.model ?? defaultModel
  const writes = order.permissions === 'workspace' ? (order.writes ?? []) : []
  return {
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...PERMISSIONS[order.permissions],
      ...writes.map((folder) => `--add-dir=${folder}`),
      ...ALWAYS,
      ...(order.lean ? LEAN : []),
      ...(order.hooks === undefined ? [] : hookSettings(order.hooks)),
      ...(order.session === undefined ? [] : ['resume', order.session]),
      '-',
    ],
    stdin: 'prompt',
    env: {},
  }
}

/** The exit code is the weakest evidence: an interrupt is 1 like any failure. */
function verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict {
  if (digest.result?.ok === true) return { kind: 'finished' }
  const stderr = withoutNoise(stderrTail)
  const trouble = toldTrouble(digest) ?? (digest.session === undefined ? troubleBeforeSession(stderr) : undefined)
  return { kind: 'failed', outcome: trouble === undefined ? lost(exit, digest, stderr) : dated(trouble, digest) }
}

const USED_UP = 100

/**
 * The rollout reports once when a limit lifts, perhaps before the last answer. The words give it in the time zone of this
 * machine, or as a duration.
 */
function dated(trouble: Trouble, { limit, lastEventAt }: Digest): Trouble {
  if (trouble.code !== 'usage-limit') return trouble
  const told = limit?.usedPct === USED_UP ? limit.resetsAt : undefined
  const resetsAt = told ?? (lastEventAt === undefined ? undefined : said(trouble.text, lastEventAt))
  return resetsAt === undefined ? trouble : { ...trouble, resetsAt }
}

function said(text: string, at: number): number | undefined {
  return resetTime(text, at, localZone()) ?? resetIn(text, at)
}
