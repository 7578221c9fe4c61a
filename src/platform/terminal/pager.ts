import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { userSettings } from '../git/settings.ts'

/**
 * The pager of the user, chosen as git does: GIT_PAGER, core.pager of the user's own git configuration, PAGER, less. The
 * configuration of no repository is asked: agents can write there. undefined: the user wants none. `project`: where an agent
 * could have put a program.
 */
export async function pagerOf(env: NodeJS.ProcessEnv, project: string): Promise<string | undefined> {
  const pager = env['GIT_PAGER'] ?? (await userSettings(env, project)).get('core.pager') ?? env['PAGER'] ?? 'less'
  return pager === '' || pager === 'cat' ? undefined : pager
}

/** A text that is shown in a pager. It stands in a file meanwhile, so it may be of any size. */
export interface PagedText extends Disposable {
  write(text: string): void
  /** Returns when the person has left the pager. false: it could not be started. */
  show(pager: string): Promise<boolean>
}

export function pagedText(env: NodeJS.ProcessEnv): PagedText {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-pager-'))
  const path = join(folder, 'text')
  const fd = openSync(path, 'wx', 0o600)
  return {
    write: (text) => void writeSync(fd, text),
    show: (pager) => page(path, pager, env),
    [Symbol.dispose]() {
      closeSync(fd)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The shell is the user's way to write a pager with arguments, as it is git's. */
function page(path: string, pager: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const input = openSync(path, 'r')
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', pager], {
      stdio: [input, 'inherit', 'inherit'],
      env: { LESS: 'FRX', LV: '-c', ...env },
    })
    // The pager decides what Ctrl-C means.
    const ignore = (): void => {}
    process.on('SIGINT', ignore)
    const done = (shown: boolean): void => {
      process.off('SIGINT', ignore)
      resolve(shown)
    }
    child.on('error', () => done(false))
    // As a shell says that there is no such command.
    child.on('close', (code) => done(code !== 127 && code !== 126))
  }).finally(() => closeSync(input)) as Promise<boolean>
}
