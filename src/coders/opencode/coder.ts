import type { Digest } from '../../domain/run/digest.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Exit } from '../../domain/run/run.ts'
import type { Coder, Launch, Order, Verdict } from '../../ports/coder.ts'
import { failed, lost, wasCutShort } from '../shared/ending.ts'
import { withoutColours } from '../shared/exit-words.ts'
import { windowOf } from '../shared/model-windows.ts'
import { opencodeDescriptor } from './descriptor.ts'
import { opencodeEvents } from './events.ts'
import { fromLog, troubleBeforeSession, tryingAgain } from './trouble.ts'

const { name, contextWindow } = opencodeDescriptor

/** opencode, headless: it reads the prompt from stdin where no message is given. */
export const opencode: Coder = {
  name,
  binary: 'opencode',
  traits: { claim: 'explicit', evidence: 'work', resume: true, stream: 'json', contextWindow, defaultModel: undefined },
  versionUntold: true,
  windowOf,
  launch,
  parse: opencodeEvents,
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
      // What would have to be asked is approved. Without it the first such call ends the run.
      ...(order.permissions === 'settings' ? [] : ['--auto']),
      // Plugins; servers of the user's own cannot be left out without leaving out their whole configuration.
      ...(order.lean ? ['--pure'] : []),
      // The one place that says why it waits, or what is wrong with a model.
      '--print-logs',
      '--log-level=ERROR',
    ],
    stdin: 'prompt',
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      // Merged over the permissions of the user's configuration, and nothing else of it.
      OPENCODE_PERMISSION: JSON.stringify(permissions(order)),
    },
  }
}

/** Questions and plans are off in `run` anyway; agents of its own would work unseen. The last rule that fits decides. */
function permissions({ writes = [], permissions, lean }: Order): Readonly<Record<string, unknown>> {
  const own = Object.fromEntries(writes.map((path) => [`${path}/**`, 'allow']))
  return {
    task: 'deny',
    ...(lean ? { skill: 'deny' } : {}),
    // As a pattern, so that it stands beside the user's rules of that name: by the same name it would replace them.
    'external_directory*': permissions === 'workspace' ? { '*': 'deny', ...own } : own,
  }
}

/**
 * What it complained about and did not get over, then how its last step finished. Its exit code is the last thing to go
 * by: 0 after a truncated answer or a refused permission, 1 after a success that began with a compaction.
 */
function verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict {
  const { trouble, result } = digest
  if (trouble !== undefined) return failed(fromLog(trouble, stderrTail))
  // A compaction ends well before the work does.
  if (result === undefined || wasCutShort(exit, digest)) return failed(withoutResult(exit, digest, stderrTail))
  return result.ok ? { kind: 'finished' } : failed(result.trouble ?? { code: 'error', text: 'it failed' })
}

function withoutResult(exit: Exit, digest: Digest, stderrTail: string): Outcome {
  const words = withoutColours(stderrTail)
  const trouble = digest.session === undefined ? troubleBeforeSession(words) : undefined
  if (trouble !== undefined) return trouble
  const retrying = tryingAgain(words, digest.lastEventAt ?? 0)
  if (retrying === undefined) return lost(exit, digest, stderrTail)
  // Ended while it waited for the provider: that is what was wrong, however it ended.
  return retrying.code === 'error' ? lost(exit, { ...digest, retrying }, '') : retrying
}
