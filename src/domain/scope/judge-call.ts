import { isAbsolute, join, relative } from 'node:path'
import { isBounded, type Scope, scopeText, writable } from './scope.ts'
import { type Effect, shellEffects } from './shell-effects.ts'

/** The bounds of one run, for its tool calls. Paths are absolute, without links. */
export interface CallBounds {
  readonly scope: Scope
  /** The top of the tree that it works in. */
  readonly root: string
  /** The user's own home. */
  readonly userHome: string
  /** fleet's home. */
  readonly home: string
  /** Folders that the run may always write: its artifacts, its inbox, its temporary folder. */
  readonly own: readonly string[]
  /** The folders `.git` of its checkout and its repository. */
  readonly git: readonly string[]
  /** Settings of its coder, which decide what the coder lets it do. */
  readonly settings: readonly string[]
}

export interface ToolCall {
  /** The files that it writes, as the coder names them. */
  readonly paths?: readonly string[]
  /** A shell line. */
  readonly command?: string
  readonly cwd: string
  /** Variables that a shell line may name. */
  readonly variables: Readonly<Record<string, string>>
}

export interface Refusal {
  /** The file or the command; for people. */
  readonly what: string
  /** For the agent: why, and the next step. */
  readonly why: string
  /** `deletes`: outside of its project, or the project itself. */
  readonly kind: 'scope' | 'read-only' | 'protected' | 'deletes' | 'pushes' | 'unsure'
}

/**
 * Whether a tool call keeps to the bounds of its run; undefined: it does, as far as the call tells. A shell line is judged by
 * what is written in it: a script, a build and an interpreter can do anything, and what they did is found when the run ends.
 * `resolve`: a path without links; of a file that does not exist, its folder's.
 */
export function judgeToolCall(
  bounds: CallBounds,
  call: ToolCall,
  resolve: (path: string) => string,
): Refusal | undefined {
  const paths = (call.paths ?? []).map((path): Effect => {
    return { does: 'writes', by: '', path: isAbsolute(path) ? join(path) : join(call.cwd, path) }
  })
  const { command } = call
  const effects = command === undefined ? [] : shellEffects(command, { cwd: call.cwd, variables: call.variables })
  for (const effect of [...paths, ...effects]) {
    const refusal = judge(bounds, effect, resolve)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function judge(bounds: CallBounds, effect: Effect, resolve: (path: string) => string): Refusal | undefined {
  const { scope } = bounds
  if (effect.does === 'pushes') {
    if (!isBounded(scope)) return undefined
    return {
      kind: 'pushes',
      what: 'git push',
      why: `this task may change only ${scopeText(scope)}, and pushes nothing`,
    }
  }
  if (effect.path === undefined) return unsure(scope, effect)
  const path = resolve(effect.path)
  const refused = (kind: Refusal['kind'], why: string): Refusal => ({ kind, what: effect.path ?? path, why })
  if (effect.does === 'deletes' && isFolderOfMore(bounds, path)) {
    return refused('deletes', `it contains more than this task: no task deletes ${path}`)
  }
  const owner = protectedBy(bounds, path)
  if (owner !== undefined) return refused('protected', `it ${owner}, and no task changes that`)
  if (!isBounded(scope) || isFree(bounds, path)) return undefined
  const below = relative(bounds.root, path)
  const isInside = below !== '..' && !below.startsWith('../') && !isAbsolute(below)
  if (!isInside) {
    const why = `it is outside of the project ${bounds.root}, and this task may change only ${scopeText(scope)}`
    return refused(effect.does === 'deletes' ? 'deletes' : 'scope', why)
  }
  if (scope.readOnly) return refused('read-only', 'this task may change nothing of the project: it is read-only')
  if (effect.tree === true) return undefined
  return writable(scope)(below) ? undefined : refused('scope', `this task may change only ${scopeText(scope)}`)
}

/** A delete that nobody can judge may be of anything. What else it writes is found when the run ends. */
function unsure(scope: Scope, { does, by }: Exclude<Effect, { does: 'pushes' }>): Refusal | undefined {
  if (!isBounded(scope) || (does === 'writes' && !scope.readOnly)) return undefined
  const why = `fleet cannot tell which file ${by} ${does}, and this task may change only ${scopeText(scope)}: name the file itself, without a variable`
  return { kind: 'unsure', what: by, why }
}

/** A folder that has the project, fleet's home or the user's home in it. */
function isFolderOfMore({ root, home, userHome }: CallBounds, path: string): boolean {
  return [root, home, userHome].some((each) => isAtOrBelow(each, path))
}

/** Whose it is; undefined: it is nothing that no task may change. File systems that ignore case have it under other names too. */
function protectedBy({ home, own, root, git, settings }: CallBounds, path: string): string | undefined {
  const lower = path.toLowerCase()
  if (git.some((folder) => isGuarded(lower, folder.toLowerCase()))) return 'decides what git runs in the repository'
  if (settings.some((each) => isAtOrBelow(lower, each.toLowerCase()))) return 'holds settings of the coder'
  const isOwn = [...own, root].some((each) => isAtOrBelow(path, each))
  if (isOwn || !isAtOrBelow(lower, home.toLowerCase())) return undefined
  return isAtOrBelow(lower, join(home, 'tasks').toLowerCase()) ? 'is a record of a task' : 'belongs to fleet'
}

/** The folder itself: whoever replaces it replaces them. */
function isGuarded(path: string, folder: string): boolean {
  return (
    [folder, `${folder}/config`, `${folder}/info/attributes`].includes(path) || isAtOrBelow(path, `${folder}/hooks`)
  )
}

/** Never part of a project, or of this run alone. */
function isFree({ own, root }: CallBounds, path: string): boolean {
  if (isAtOrBelow(path, root)) return false
  const isTemporary = ['/tmp', '/var/tmp', '/private/tmp', '/private/var/tmp'].some((each) =>
    path.startsWith(`${each}/`),
  )
  return isTemporary || DEVICES.test(path) || own.some((each) => isAtOrBelow(path, each))
}

const DEVICES = /^\/dev\/(null|stdout|stderr|stdin|tty|fd\/\d+)$/

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}
