import { spawn } from 'node:child_process'
import { AppError } from '../../errors.ts'
import type { Take } from '../files/follow.ts'

/**
 * A reading git command, its output in pieces as it comes. No pager, no locks, nothing asked, and none of the programs
 * that the repository's own settings could name.
 */
export function readGit(argv: readonly string[], env: NodeJS.ProcessEnv, take: Take): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['--no-pager', '-c', 'core.fsmonitor=false', ...argv], {
      cwd: '/',
      env: { ...withoutGit(env), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stdout.on('data', take)
    child.stderr.on('data', (bytes: Buffer) => {
      if (errors.length < 4096) errors += bytes.toString('utf8')
    })
    child.on('error', (error) => reject(new AppError('failed', `git could not be started: ${error.message}`)))
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new AppError('failed', `git failed: ${errors.trim() || `exit status ${code}`}`))
    })
  })
}

/** Inside a git hook these would lead to another repository. */
function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')))
}
