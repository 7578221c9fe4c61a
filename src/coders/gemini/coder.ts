import { dirname, join } from 'node:path'
import type { Digest } from '../../domain/run/digest.ts'
import type { Trouble } from '../../domain/run/event.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Coder, Launch, Order, Verdict } from '../../ports/coder.ts'
import { failed, lost } from '../shared/ending.ts'
import { withoutColours } from '../shared/exit-words.ts'
import { chatReader } from './chat.ts'
import { geminiDescriptor } from './descriptor.ts'
import { geminiEvents, geminiOutputs } from './events.ts'
import { chatPlace } from './session-files.ts'
import { byExitCode, complaints, limitLifts, troubleBeforeSession, tryingAgain } from './trouble.ts'

const { name, contextWindow } = geminiDescriptor

/** Gemini CLI, headless: it reads the prompt from stdin where that is no terminal. */
export const gemini: Coder = {
  name,
  binary: 'gemini',
  shellStartsInCwd: true,
  notes: ['~/.gemini/tmp'],
  settingsFiles: ['~/.gemini/settings.json', '.gemini/settings.json'],
  traits: { claim: 'explicit', evidence: 'work', resume: true, stream: 'json', contextWindow, defaultModel: undefined },
  versionUntold: true,
  launch,
  parse: geminiEvents,
  outputs: geminiOutputs,
  textInPieces: true,
  verdict,
  sidecar: { place: chatPlace, reader: chatReader },
}

/** Without a flag the model gets no tool for commands. Gemini refuses to run in a folder that is not trusted. */
const PERMISSIONS: Record<Order['permissions'], readonly string[]> = {
  full: ['--skip-trust', '--approval-mode=yolo'],
  workspace: ['--skip-trust', '--approval-mode=auto_edit', '--allowed-tools=run_shell_command'],
  settings: [],
}

/** No extensions and no servers; there is no flag for skills. */
const LEAN = ['--extensions=none', '--allowed-mcp-server-names=none']

const POLICY = 'gemini-policy.toml'

/** Every value is part of its flag, so that none is taken for a prompt. */
function launch(order: Order): Launch {
  const { model, session, newSession, writes = [], lean } = order
  return {
    args: [
      '--output-format=stream-json',
      ...(model === undefined ? [] : [`--model=${model}`]),
      session === undefined ? `--session-id=${newSession}` : `--resume=${session}`,
      ...PERMISSIONS[order.permissions],
      // Adds to the user's policies; another flag would replace them.
      `--admin-policy=${join(dirname(order.promptFile), POLICY)}`,
      // Its file tools refuse paths outside the workspace. A comma would split one path into two.
      ...writes.filter((path) => !path.includes(',')).map((path) => `--include-directories=${path}`),
      ...(lean ? LEAN : []),
    ],
    stdin: 'prompt',
    // Otherwise it starts itself again for a larger heap, in a process that ignores SIGTERM.
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
    files: { [POLICY]: policy(lean ? [...TOOLS_OFF, 'activate_skill'] : TOOLS_OFF) },
  }
}

/** Unattended, no person approves a plan, and fleet cannot see sub-agents: create tasks for both. */
const TOOLS_OFF = ['ask_user', 'enter_plan_mode', 'exit_plan_mode', 'invoke_agent']

/** Gemini does not offer a tool that is denied for all arguments. */
function policy(tools: readonly string[]): string {
  return `[[rule]]\ntoolName = ${JSON.stringify(tools)}\ndecision = "deny"\npriority = 999\n`
}

/** The exit code is the weakest evidence: it is 0 after a SIGTERM during a tool call. */
function verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict {
  const { result, trouble, lastEventAt } = digest
  const told = trouble ?? (result?.ok === false ? result.trouble : undefined)
  if (told !== undefined) return failed(timed(byExit(told, exit), lastEventAt))
  if (result !== undefined) return { kind: 'finished' }
  return failed(withoutResult(exit, digest, stderrTail))
}

function byExit(trouble: Trouble, exit: Exit): Trouble {
  return exit.kind === 'code' ? byExitCode(trouble, exit.code) : trouble
}

function timed(trouble: Trouble, seenAt: number | undefined): Outcome {
  const resetsAt = trouble.code === 'usage-limit' && seenAt !== undefined ? limitLifts(trouble.text, seenAt) : undefined
  return resetsAt === undefined ? trouble : { ...trouble, resetsAt }
}

/** Once a session has begun, stderr may hold the output of a tool. */
function withoutResult(exit: Exit, digest: Digest, stderrTail: string): Outcome {
  const words = complaints(withoutColours(stderrTail))
  const isBefore = digest.session === undefined && exit.kind === 'code'
  const trouble = isBefore ? troubleBeforeSession(exit.code, words) : undefined
  if (trouble !== undefined) return trouble
  const retrying = tryingAgain(words)
  if (retrying === undefined) return lost(exit, digest, words)
  // Its complaints carry no time, so it may have recovered from them before it ended.
  if (exit.kind === 'code' || retrying.code === 'error') return lost(exit, { ...digest, retrying }, '')
  return timed(retrying, digest.lastEventAt)
}
