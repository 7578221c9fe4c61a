import { AppError } from '../../errors.ts'
import type { Coder, Launch, Order } from '../../ports/coder.ts'
import { coderFor } from '../registry.ts'
import { known } from '../shared/fields.ts'
import { textEvents, textVerdict } from '../shared/text.ts'
import { filled, placeholdersIn } from './template.ts'

/** `[coders.<name>]` of runtime.toml, as far as it makes a coder. Its `env` is given to agents whoever makes the coder. */
export interface CoderBlock {
  readonly command?: readonly string[] | undefined
  readonly format?: string | undefined
  readonly model?: string | undefined
  readonly context_window?: number | undefined
  readonly resume?: readonly string[] | undefined
  readonly claim?: 'explicit' | 'exit' | undefined
}

/**
 * The coder that a block describes. `base`: the one that has the name already; of it the block changes only what it
 * names. undefined: nobody can read its format yet.
 */
export async function configuredCoder(name: string, block: CoderBlock, base?: Coder): Promise<Coder | undefined> {
  const reader = await readerOf(block, base)
  const [binary] = block.command ?? [base?.binary]
  if (reader === undefined || binary === undefined) return undefined
  const [resumedBy = binary] = block.resume ?? []
  if (resumedBy !== binary) {
    throw new AppError('config', `coders.${name}.resume begins with ${resumedBy}, but ${name} is started by ${binary}`)
  }
  const defaultModel = block.model ?? base?.traits.defaultModel
  const { stream, windowOf, ...reads } = reader
  return {
    ...reads,
    // A window that somebody has set is that of every model.
    ...(windowOf === undefined || block.context_window !== undefined ? {} : { windowOf }),
    // Another program may not know the question, and begin to work instead.
    ...(block.command === undefined && base?.versionUntold === true ? { versionUntold: true } : {}),
    name,
    binary,
    traits: {
      claim: block.claim ?? base?.traits.claim ?? 'explicit',
      evidence: base?.traits.evidence ?? 'work',
      // How to go on is part of how it is called: with another command, the old way is nobody's.
      resume: block.resume !== undefined || (block.command === undefined && base?.traits.resume === true),
      stream,
      contextWindow: block.context_window ?? base?.traits.contextWindow,
      defaultModel,
    },
    launch: (order) => launch(block, base, { ...order, model: order.model ?? defaultModel }),
  }
}

interface Reader extends Pick<Coder, 'parse' | 'verdict' | 'payers' | 'windowOf' | 'sidecar'> {
  readonly stream: 'json' | 'text'
}

const TEXT: Reader = {
  stream: 'text',
  parse: textEvents,
  verdict: (exit, _digest, stderrTail) => textVerdict(exit, stderrTail),
}

/** Whoever knows the format reads it: what it prints, what it writes beside that, and what its end means. */
async function readerOf({ format }: CoderBlock, base: Coder | undefined): Promise<Reader | undefined> {
  if (format === 'text' || (format === undefined && base === undefined)) return TEXT
  const coder = format === undefined ? base : await coderFor(format)
  if (coder === undefined) return undefined
  const { traits, parse, verdict, payers, windowOf, sidecar } = coder
  return { stream: traits.stream, parse, verdict, ...known({ payers, windowOf, sidecar }) }
}

function launch(block: CoderBlock, base: Coder | undefined, order: Order): Launch {
  const template = order.session === undefined ? block.command : block.resume
  const usual = base?.launch(order)
  if (template === undefined) {
    if (usual === undefined) throw new Error('it cannot go on with a session')
    return usual
  }
  const [, ...args] = filled(template, {
    prompt_file: order.script?.file ?? order.promptFile,
    model: order.model,
    cwd: order.cwd,
    session: order.session ?? order.newSession,
  })
  const namesPrompt = template.some((word) => placeholdersIn(word).includes('prompt_file'))
  const stdin = namesPrompt ? 'closed' : 'prompt'
  const promptAs = stdin === 'prompt' && isIts(block, base) ? usual?.promptAs : undefined
  return { args, stdin, env: usual?.env ?? {}, ...known({ promptAs, files: usual?.files }) }
}

/** Whether it still speaks the base's language, and so wants to be spoken to in it. */
function isIts({ format }: CoderBlock, base: Coder | undefined): boolean {
  return base !== undefined && (format === undefined || format === base.name)
}
