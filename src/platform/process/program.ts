import { spawn } from 'node:child_process'
import { accessSync, constants, lstatSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Where PATH finds a program, or undefined. A path stands for itself. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(name)) return canRun(name) ? name : undefined
  return onPath(name, env).find(canRun)
}

/** Every program of that name on PATH, first come first. */
export function findPrograms(name: string, env: NodeJS.ProcessEnv): readonly string[] {
  return onPath(name, env).filter(canRun)
}

function onPath(name: string, env: NodeJS.ProcessEnv): readonly string[] {
  return (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder === '' ? '.' : folder, name))
}

/** When what stands at a path, or what that leads to, was last changed or replaced. Nobody can set this time. */
export function changedAt(path: string): number | undefined {
  try {
    return Math.max(lstatSync(path).ctimeMs, statSync(path).ctimeMs)
  } catch {
    return undefined
  }
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export type Answer =
  | { readonly kind: 'answered'; readonly code: number | null; readonly text: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'not-started'; readonly why: string }

export interface Question {
  readonly argv: readonly string[]
  readonly timeoutMs: number
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a program to the end and takes what it says. After the timeout its whole process group goes. */
export function ask(file: string, { argv, timeoutMs, env }: Question): Promise<Answer> {
  return new Promise((resolve) => {
    const child = spawn(file, argv, { cwd: '/', env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const settle = (answer: Answer): void => {
      clearTimeout(timer)
      // A grandchild may hold the pipes open for as long as it likes.
      child.stdout.destroy()
      child.stderr.destroy()
      child.unref()
      resolve(answer)
    }
    const timer = setTimeout(() => {
      endGroup(child.pid)
      settle({ kind: 'silent' })
    }, timeoutMs)
    const take = (chunk: Buffer): void => {
      if (text.length < 65_536) text += chunk.toString('utf8')
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('error', (error) => settle({ kind: 'not-started', why: error.message }))
    child.on('close', (code) => settle({ kind: 'answered', code, text }))
    // `exit` without `close`: somebody still holds the pipes; what was said by then is the answer.
    child.on('exit', (code) => setTimeout(() => settle({ kind: 'answered', code, text }), 200).unref())
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
