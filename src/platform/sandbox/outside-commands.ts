import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InboxItem } from '../../domain/agent/inbox.ts'
import { FOR_SANDBOX, type OutsideReply } from '../../domain/agent/outside-call.ts'
import type { OutsideCommand, OutsideCommands } from '../../ports/outside-commands.ts'
import { exec } from '../process/exec.ts'

const MOST_MS = 30_000
const MOST_BYTES = 4 << 20

export function outsideCommands(program: { readonly node: string; readonly fleet: string }): OutsideCommands {
  return {
    async run(call) {
      const folder = mkdtempSync(join(tmpdir(), 'fleet-outside-'))
      try {
        return await answer(program, call, join(folder, 'letters'))
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

async function answer(
  { node, fleet }: { readonly node: string; readonly fleet: string },
  { argv, input, cwd, env }: OutsideCommand,
  letters: string,
): Promise<OutsideReply> {
  const run = await exec(node, {
    argv: [fleet, ...argv],
    cwd,
    env: { ...env, [FOR_SANDBOX]: letters },
    ...(input !== undefined && { input }),
    timeoutMs: MOST_MS,
    maxBytes: MOST_BYTES,
  })
  if (run.kind !== 'ended') return failed(`the command did not end outside the sandbox (${run.kind})`)
  return { v: 1, code: run.code ?? 1, out: run.out.toString('utf8'), err: run.err, letters: lettersIn(letters) }
}

function failed(why: string): OutsideReply {
  return { v: 1, code: 1, out: '', err: `fleet: ${why}\n`, letters: [] }
}

/** One on each line; none: the command had nothing to tell. */
function lettersIn(path: string): readonly InboxItem[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
  } catch {
    return []
  }
}
