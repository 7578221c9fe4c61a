import type { Run } from '../domain/run/run.ts'
import { exec, whyNotEnded } from '../platform/process/exec.ts'
import type { Coder, Launch } from '../ports/coder.ts'
import type { ReviewerParts } from './review.ts'

/** A coder that can look at the work on this machine. */
export interface Reviewer extends Pick<Launch, 'args' | 'env'> {
  readonly coder: Coder
  readonly program: string
}

interface Problem {
  readonly problem: string
}

export async function findReviewer(
  parts: ReviewerParts,
  { name, run }: { name: string; run: Run },
): Promise<Reviewer | Problem> {
  const { coders, machine, policy } = parts
  const coder = await coders.find(name)
  if ('problem' in coder) return coder
  const program = machine.findProgram(coder.binary)
  if (coder.launchReviewer === undefined) return { problem: `fleet knows no read-only mode of ${name}` }
  if (program === undefined) return { problem: `${coder.binary} is not on PATH, or not executable` }
  const servers = await serversOf(parts, { coder, program, run })
  if ('problem' in servers) return servers
  const model = policy().assignment({ cwd: run.project, coder: name }).model.value
  try {
    return { coder, program, ...coder.launchReviewer({ model, servers }) }
  } catch (error) {
    // A file of the user's says how it is started.
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

const LIMITS = { timeoutMs: 60_000, maxBytes: 1 << 20 }

/** Asked of the program, because several files may name them. */
async function serversOf(
  { environment }: ReviewerParts,
  { coder, program, run }: { coder: Coder; program: string; run: Run },
): Promise<readonly string[] | Problem> {
  const { mcpServers: asked } = coder
  if (asked === undefined) return []
  const env = environment.of({ ...run, coder: coder.name }, {})
  const ended = await exec(program, { ...LIMITS, argv: asked.args, env })
  const unknown = (why: string): Problem => ({
    problem: `it does not name its MCP servers, which a reviewer must not start: ${[coder.binary, ...asked.args].join(' ')} ${why}`,
  })
  if (ended.kind !== 'ended') return unknown(whyNotEnded(ended))
  if (ended.code !== 0) return unknown(`ended with exit status ${ended.code}`)
  return asked.named(ended.out.toString('utf8')) ?? unknown('printed something else')
}
