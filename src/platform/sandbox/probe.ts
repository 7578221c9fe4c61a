import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inForce, type Rule } from '../../domain/sandbox/rules.ts'
import type { SandboxNetwork } from '../../domain/sandbox/sandbox.ts'
import { realPathOf } from '../files/same-folder.ts'
import { exec } from '../process/exec.ts'
import { argvOf, standing, type Way, waysHere } from './ways.ts'

const TRY_MS = 30_000
/** Each step that fails names itself; without a network there is only loopback. */
const SCRIPT = [
  'echo a >open/a || { echo "it cannot write its own folder"; exit 1; }',
  '{ echo a >closed/a; } 2>/dev/null && { echo "it can write everywhere"; exit 1; }',
  'cat hidden/secret >/dev/null 2>&1 && { echo "it can read hidden files"; exit 1; }',
  'test "$1" = on || ! grep -q "^ *[^l ][^:]*:" /proc/net/dev 2>/dev/null || { echo "it has a network"; exit 1; }',
  'exit 0',
].join('\n')

/** Runs a program in it, which tries what it may and what it may not. */
export async function trySandbox(
  network: SandboxNetwork,
  here: { readonly env: NodeJS.ProcessEnv; readonly isRoot: boolean },
): Promise<{ readonly way: Way } | { readonly fails: string }> {
  const ways = waysHere(here)
  if (typeof ways === 'string') return { fails: ways }
  let fails = ''
  for (const way of ways) {
    const problem = await problemOf(way, network).catch((error: unknown) => String(error))
    if (problem === undefined) return { way }
    fails = problem
  }
  return { fails }
}

async function problemOf(way: Way, network: SandboxNetwork): Promise<string | undefined> {
  const folder = mkdtempSync(join(realPathOf(tmpdir()) ?? tmpdir(), 'fleet-sandbox-'))
  try {
    for (const name of ['open', 'closed', 'hidden']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'hidden', 'secret'), 'a')
    const rules: Rule[] = [
      { path: folder, access: 'read' },
      { path: join(folder, 'open'), access: 'write' },
      { path: join(folder, 'hidden'), access: 'none' },
    ]
    const inside = {
      rules: inForce(rules, standing),
      network,
      cwd: folder,
      program: '/bin/sh',
      args: ['-c', SCRIPT, 'sh', network],
    }
    const [file = '', ...argv] = argvOf(inside, way)
    const run = await exec(file, { argv, cwd: folder, timeoutMs: TRY_MS })
    if (run.kind === 'ended' && run.code === 0) return undefined
    if (run.kind !== 'ended')
      return run.kind === 'not-started' ? run.why : `it did not answer within ${TRY_MS / 1000} s`
    return lastLine(`${run.out.toString('utf8')}\n${run.err}`) || `it ended with status ${run.code}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
}
