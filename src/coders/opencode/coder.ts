import type { Digest } from '../../domain/run/digest.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Coder, Launch, Order, Verdict } from '../../ports/coder.ts'
import { failed, lost, wasCutShort } from '../shared/ending.ts'
import { withoutColours } from '../shared/exit-words.ts'
import { windowOf } from '../shared/model-windows.ts'
import { opencodeDescriptor } from './descriptor.ts'
import { opencodeEvents, opencodeOutputs } from './events.ts'
import { fromLog, troubleBeforeSession, tryingAgain } from './trouble.ts'

const { name, contextWindow } = opencodeDescriptor

/** opencode, headless: it reads the prompt from stdin where no message is given. */
export const opencode: Coder = {
  name,
  binary: 'opencode',
  shellStartsInCwd: true,
  notes: ['~/.local/share/opencode'],
  settingsFiles: ['~/.config/opencode', 'opencode.json', 'opencode.jsonc'],
  traits: { claim: 'explicit', evidence: 'work', resume: true, stream: 'json', contextWindow, defaultModel: undefined },
  versionUntold: true,
  toolsToldLate: true,
  windowOf,
  launch,
  parse: opencodeEvents,
  outputs: opencodeOutputs,
  verdict,
}

/** Every value is part of its flag, so that none is taken for the message. */
function launch(order: Order): Launch {
  return {
    args: [
      'run',
      '--format=json',
      ...(order.model === undefined ? [] : [`--model=${order.model}`]),
      // With a title it does not ask a model for one.
      order.session === undefined ? `--title=fleet ${order.newSession}` : `--session=${order.session}`,
      // Approves every call that needs approval. Without it the first such call ends the run.
      ...(order.permissions === 'settings' ? [] : ['--auto']),
      // Leaves out plugins. The user's MCP servers can only be left out with their whole configuration.
      ...(order.lean ? ['--pure'] : []),
      // Only the log says why it waits, or what is wrong with a model.
      '--print-logs',
      '--log-level=ERROR',
    ],
    stdin: 'prompt',
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      // Merged over the permissions of the user's configuration; the rest of it stays.
      OPENCODE_PERMISSION: JSON.stringify(permissions(order)),
    },
  }
}

/** `run` turns questions and plans off by itself; fleet cannot see sub-agents. The last matching rule decides. */
function permissions({ writes = [], permissions, lean }: Order): Readonly<Record<string, unknown>> {
  const own = Object.fromEntries(writes.map((path) => [`${path}/**`, 'allow']))
  return {
    task: 'deny',
    ...(lean ? { skill: 'deny' } : {}),
    // A pattern is added to the user's rules of that name; the plain name would replace them.
    'external_directory*': permissions === 'workspace' ? { '*': 'deny', ...own } : own,
  }
}

/**
 * A trouble that it did not recover from decides, then the end of its last step. The exit code is the weakest evidence: it
 * is 0 after a truncated answer or a refused permission, and 1 after a success that began with a compaction.
 */
function verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict {
  const { trouble, result } = digest
  if (trouble !== undefined) return failed(fromLog(trouble, stderrTail))
  // A compaction ends with a good result although the work continues.
  if (result === undefined || wasCutShort(exit, digest)) return failed(withoutResult(exit, digest, stderrTail))
  return result.ok ? { kind: 'finished' } : failed(result.trouble ?? { code: 'error', text: 'it failed' })
}

function withoutResult(exit: Exit, digest: Digest, stderrTail: string): Outcome {
  const words = withoutColours(stderrTail)
  const trouble = digest.session === undefined ? troubleBeforeSession(words) : undefined
  if (trouble !== undefined) return trouble
  const retrying = tryingAgain(words, digest.lastEventAt ?? 0)
  if (retrying === undefined) return lost(exit, digest, stderrTail)
  // It ended while it waited for the provider, so the provider's answer is the cause, whatever the exit code.
  return retrying.code === 'error' ? lost(exit, { ...digest, retrying }, '') : retrying
}
