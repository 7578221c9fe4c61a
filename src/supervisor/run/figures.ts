import { figuresOf as figuresOfDigest } from '../../domain/run/digest.ts'
import type { Figures } from '../../domain/run/run.ts'
import { isOf, type Vitals } from '../../domain/run/watchdog.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

/** The figures of a run in `fleet tasks`. */
export function figuresOf({ environment }: Pick<World, 'environment'>, live: LiveRun): Figures {
  const { remembered, version, costBefore } = live.accounting
  if (remembered !== undefined) return remembered
  const contextWindow = usualWindow(live)
  const figures = figuresOfDigest(live.digest, {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(live.record.resumes === null ? { earlierUsage: {} } : {}),
    ...(version === undefined ? {} : { version }),
    sessionCostUsd: costBefore,
  })
  return {
    ...figures,
    openTool: figures.openTool === null ? null : environment.redact(figures.openTool),
    // An agent that ends is silent for another reason.
    silence: live.state.phase === 'running' ? (live.activity.silence ?? null) : null,
  }
}

/** The watchdog's inputs. */
export function vitalsOf(live: LiveRun): Vitals {
  const { digest, output } = live
  const window = digest.window ?? usualWindow(live)
  return {
    startedAt: live.startedAt,
    firstEventAt: output.firstEventAt,
    lastOutputAt: output.lastAt,
    atWorkAt: live.activity.atWorkAt,
    openTools: [...digest.openTools.values()].map(({ kind }) => kind),
    runsCommand: isOf(live.activity.looks, output.lastAt) && live.activity.looks.latest.tools > 0,
    resultAt: output.resultAt,
    pendingBackground: digest.pendingBackground,
    askedAt: live.letters.askedAt,
    contextPct:
      digest.contextNow === undefined || window === undefined ? undefined : (digest.contextNow / window) * 100,
    isScript: live.coder.traits.stream === 'text',
    outputBytes: output.written + live.stderr.latest.bytes,
  }
}

/** Asked when the run begins, because an update may replace the program before it ends. The run does not wait for it. */
export function askVersion({ coders }: Pick<World, 'coders'>, { coder, accounting }: LiveRun): void {
  if (coder.versionUntold !== true) return
  const take = (version: string | undefined) => {
    accounting.version = version
  }
  accounting.versionAsked = coders.versionOf(coder.binary).then(take, () => {})
}

/**
 * Where the stream tells no window: the one of an earlier run with the model, or the one its coder knows, first of the model
 * that answers, then of the one asked for.
 */
function usualWindow({ coder, record, digest, accounting }: LiveRun): number | undefined {
  const models = [digest.model, record.model ?? coder.traits.defaultModel].filter((model) => model !== undefined)
  const known = models.map((model) => coder.windowOf?.(model)).find((tokens) => tokens !== undefined)
  return accounting.window?.tokens ?? known ?? coder.traits.contextWindow
}
