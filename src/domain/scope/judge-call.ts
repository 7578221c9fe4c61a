import { dirname, isAbsolute, join, relative } from 'node:path'
import type { Effect } from './effect.ts'
import { isBounded, type Scope, scopeText, writable } from './scope.ts'
import { shellEffects } from './shell-effects.ts'
import { pathOf } from './shell-words.ts'

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
  /** Folders in which its coder keeps plans and notes of its own; absent: none. */
  readonly notes?: readonly string[]
}

/** The files of the machine, for the paths of calls. */
export interface SeenFiles {
  /** A path without links; of a file that does not exist, its folder's. */
  resolve(path: string): string
  /** Whether a folder is the top of a repository that keeps its own settings: no submodule, and no linked worktree. */
  isRepository(folder: string): boolean
}

export interface ToolCall {
  /** The files that it writes, as the coder names them. */
  readonly paths?: readonly string[]
  /** A shell line. */
  readonly command?: string
  /** undefined: nobody knows, and a relative path may be of any file. */
  readonly cwd: string | undefined
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
  /** It is outside of the project. */
  readonly isElsewhere?: true
}

/**
 * Whether a tool call keeps to the bounds of its run; undefined: it does, as far as the call tells. A shell line is judged by
 * what is written in it: a script, a build and an interpreter can do anything, and what they did is found when the run ends.
 */
export function judgeToolCall(bounds: CallBounds, call: ToolCall, files: SeenFiles): Refusal | undefined {
  return refusalsOf(bounds, call, files)[0]
}

/** Everything in which a call leaves the bounds. */
export function refusalsOf(bounds: CallBounds, call: ToolCall, files: SeenFiles): readonly Refusal[] {
  const paths = (call.paths ?? []).map((path): Effect => {
    return { does: 'writes', by: '', path: pathOf({ text: path, isSure: true }, call.cwd) }
  })
  const { command } = call
  const effects = command === undefined ? [] : shellEffects(command, { cwd: call.cwd, variables: call.variables })
  return [...paths, ...effects].flatMap((effect) => judge(bounds, effect, files) ?? [])
}

function judge(bounds: CallBounds, effect: Effect, files: SeenFiles): Refusal | undefined {
  const { scope } = bounds
  if (effect.does === 'configures') {
    const { from, by } = effect
    if (from === undefined) return isBounded(scope) ? unsure(scope, { does: 'writes', by }) : undefined
    const path = configFrom(bounds.git, files.resolve(from), files.isRepository)
    return judge(bounds, { does: 'writes', path, by }, files)
  }
  if (effect.does === 'pushes') {
    if (!isBounded(scope)) return undefined
    return {
      kind: 'pushes',
      what: 'git push',
      why: `this task may change only ${scopeText(scope)}, and pushes nothing`,
    }
  }
  if (effect.path === undefined) return isUnsure(scope, effect) ? unsure(scope, effect) : undefined
  const path = files.resolve(effect.path)
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
    return { ...refused(effect.does === 'deletes' ? 'deletes' : 'scope', why), isElsewhere: true }
  }
  if (scope.readOnly) return refused('read-only', 'this task may change nothing of the project: it is read-only')
  if (effect.tree === true) return undefined
  return writable(scope)(below) ? undefined : refused('scope', `this task may change only ${scopeText(scope)}`)
}

/** A delete that nobody can judge may be of anything. What else it writes is found when the run ends. */
function isUnsure(scope: Scope, { does }: { readonly does: 'writes' | 'deletes' }): boolean {
  return isBounded(scope) && (does === 'deletes' || scope.readOnly)
}

function unsure(scope: Scope, { does, by }: { readonly does: 'writes' | 'deletes'; readonly by: string }): Refusal {
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
  // A directory that has fleet's home in it, as the user's home, makes that no part of the task.
  const isOwn = [...own, root].some((each) => isAtOrBelow(path, each) && !isAtOrBelow(home, each))
  if (isOwn || !isAtOrBelow(lower, home.toLowerCase())) return undefined
  return isAtOrBelow(lower, join(home, 'tasks').toLowerCase()) ? 'is a record of a task' : 'belongs to fleet'
}

/** The folder itself: whoever replaces it replaces them. */
function isGuarded(path: string, folder: string): boolean {
  if (path === folder) return true
  return path.startsWith(`${folder}/`) && GUARDED.test(path.slice(folder.length + 1))
}

/** Submodules and linked worktrees have settings of their own. */
const GUARDED = /^(?:(?:modules|worktrees)\/(?:.+\/)?)?(?:config|config\.worktree|info\/attributes|hooks(?:\/.*)?)$/s

/** The file that `git config` changes, from this folder: that of the repository around it. */
function configFrom(git: readonly string[], folder: string, isRepository: (folder: string) => boolean): string {
  for (let at = folder; ; at = dirname(at)) {
    if (git.includes(`${at}/.git`) || isRepository(at)) return join(at, '.git/config')
    if (at === dirname(at)) return join(folder, '.git/config')
  }
}

/** Never part of a project, or of this run alone. */
function isFree({ own, root, notes = [] }: CallBounds, path: string): boolean {
  if (isAtOrBelow(path, root)) return false
  const isTemporary = ['/tmp', '/var/tmp', '/private/tmp', '/private/var/tmp'].some((each) =>
    path.startsWith(`${each}/`),
  )
  return isTemporary || DEVICES.test(path) || [...own, ...notes].some((each) => isAtOrBelow(path, each))
}

const DEVICES = /^\/dev\/(null|stdout|stderr|stdin|tty|fd\/\d+)$/

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}
