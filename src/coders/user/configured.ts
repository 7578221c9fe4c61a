import { AppError } from '../../errors.ts'
import type { Coder, Launch, Order } from '../../ports/coder.ts'
import { coderFor } from '../registry.ts'
import { known } from '../shared/fields.ts'
import { textEvents, textVerdict } from '../shared/text.ts'
import { filled, placeholdersIn } from './template.ts'

/** `[coders.<name>]` of runtime.toml without `env`, which agents get whichever way the coder is defined. */
export interface CoderBlock {
  readonly command?: readonly string[] | undefined
  readonly format?: string | undefined
  readonly model?: string | undefined
  readonly context_window?: number | undefined
  readonly resume?: readonly string[] | undefined
  readonly claim?: 'explicit' | 'exit' | undefined
}

/**
 * The coder that a block describes. `base`: an existing coder of that name; the block changes only the members it sets.
 * undefined: fleet cannot read its format.
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
    // A window in the configuration holds for every model.
    ...(windowOf === undefined || block.context_window !== undefined ? {} : { windowOf }),
    // Another program may not know --version, and begin to work instead.
    ...(block.command === undefined && base?.versionUntold === true ? { versionUntold: true } : {}),
    name,
    binary,
    traits: {
      claim: block.claim ?? base?.traits.claim ?? 'explicit',
      evidence: base?.traits.evidence ?? 'work',
      // Another command may have another way to resume, so the base's way does not count.
      resume: block.resume !== undefined || (block.command === undefined && base?.traits.resume === true),
      // The base's launch adds them, and no other.
      ...(block.command === undefined && block.resume === undefined && base?.traits.hooks === true
        ? { hooks: true }
        : {}),
      stream,
      contextWindow: block.context_window ?? base?.traits.contextWindow,
      defaultModel,
    },
    launch: (order) => launch(block, base, { ...order, model: order.model ?? defaultModel }),
    ...known(reviewer(block, base, defaultModel)),
  }
}

/** Another command may start another program, which may write. */
function reviewer(block: CoderBlock, base: Coder | undefined, defaultModel: string | undefined) {
  const own = base?.launchReviewer
  if (own === undefined || block.command !== undefined || !isIts(block, base)) return {}
  const launchReviewer: typeof own = ({ model = defaultModel, servers }) => own({ model, servers })
  return { launchReviewer, mcpServers: base?.mcpServers }
}

interface Reader
  extends Pick<
    Coder,
    'parse' | 'verdict' | 'outputs' | 'subagents' | 'toolsToldLate' | 'textInPieces' | 'payers' | 'windowOf' | 'sidecar'
  > {
  readonly stream: 'json' | 'text'
}

const TEXT: Reader = {
  stream: 'text',
  parse: textEvents,
  verdict: (exit, _digest, stderrTail) => textVerdict(exit, stderrTail),
}

/** The coder of the format reads the output and the sidecar, and judges the end. */
async function readerOf({ format }: CoderBlock, base: Coder | undefined): Promise<Reader | undefined> {
  if (format === 'text' || (format === undefined && base === undefined)) return TEXT
  const coder = format === undefined ? base : await coderFor(format)
  if (coder === undefined) return undefined
  const { traits, parse, verdict, outputs, subagents, toolsToldLate, textInPieces, payers, windowOf, sidecar } = coder
  return {
    stream: traits.stream,
    parse,
    verdict,
    ...known({ outputs, subagents, toolsToldLate, textInPieces, payers, windowOf, sidecar }),
  }
}

function launch(block: CoderBlock, base: Coder | undefined, order: Order): Launch {
  const template = order.session === undefined ? block.command : block.resume
  const usual = base?.launch(order)
  if (template === undefined) {
    if (usual === undefined) throw new Error('it cannot resume a session')
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

/** Whether it has the format of the base, and so takes the prompt in the same form. */
function isIts({ format }: CoderBlock, base: Coder | undefined): boolean {
  return base !== undefined && (format === undefined || format === base.name)
}
