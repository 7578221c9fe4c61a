import { isAbsolute } from 'node:path'
import { coderNames } from '../coders/registry.ts'
import { ASKED, askedEvidence } from '../domain/evidence/asked.ts'
import { ISOLATIONS, isIsolation } from '../domain/run/isolation.ts'
import { closeAtOf, LEVELS } from '../domain/run/judgement.ts'
import { isSandboxMode, SANDBOX_MODES } from '../domain/sandbox/sandbox.ts'
import { patternProblem, patternsOf } from '../domain/scope/scope.ts'
import { isBranchName } from '../domain/task/branch.ts'
import { lockNames } from '../domain/task/lock.ts'
import { hasControls, isLockList, isSwitch, SETTING_NAMES, type TaskSettings } from '../domain/task/settings.ts'
import { nearest } from '../domain/text/nearest.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { absolutePath, directoryProblem, realPathOf } from '../platform/files/paths.ts'

export interface CheckOptions {
  /** Its configuration may define more coders. */
  readonly home: Home
  /** The base of a relative directory. */
  readonly from: string
  /** Prefix of messages: the file or the flag that holds the settings. */
  readonly where?: string
}

/**
 * Validates settings from a person: the directory exists and becomes absolute, without links (an agent could later lead a
 * link elsewhere), the coder is known. Empty settings pass,
 * because they remove a setting. An absolute path together with `on` is a path on that machine and is not checked.
 */
export async function validateSettings(
  given: TaskSettings,
  { home, from, where = '' }: CheckOptions,
): Promise<TaskSettings> {
  const settings = { ...given }
  const isElsewhere = (settings.on ?? '') !== '' && isAbsolute(given.cwd ?? '')
  if (given.cwd !== undefined && given.cwd !== '') {
    const path = absolutePath(given.cwd, from)
    settings.cwd = isElsewhere ? path : realPathOf(path)
  }
  for (const name of SETTING_NAMES) {
    const value = settings[name]
    if (value === undefined || !hasControls(name, value)) continue
    throw new AppError(
      'failed',
      `${where}${name} ${JSON.stringify(value)} has a ${name === 'command' ? 'NUL' : 'line break or control character'} in it`,
      { hint: WITHOUT[name] },
    )
  }
  if (settings.cwd !== undefined && settings.cwd !== '' && !isElsewhere) checkDirectory(settings.cwd, where)
  checkLevel(given.close_at ?? '', where)
  if (given.coder !== undefined && given.coder !== '') await checkCoder(given.coder, home, where)
  checkIsolation(given.isolation, where)
  checkTarget(given.target, where)
  checkEvidence(given.evidence, where)
  checkSandbox(given.sandbox, where)
  if (given.lock !== undefined && given.lock !== '') settings.lock = locks(given.lock, where)
  checkScope(given.scope, where)
  checkReadOnly(given.read_only, where)
  return settings
}

const WITHOUT: Record<(typeof SETTING_NAMES)[number], string> = {
  cwd: 'give a directory whose path has none',
  coder: 'give a name without it',
  model: 'give a name without it',
  command: 'give a script without it',
  on: 'give a name without it',
  isolation: 'give shared or worktree',
  target: 'give the name of a branch',
  verify: 'give a command without it',
  evidence: 'give a path without it',
  lock: 'give a name without it',
  scope: 'give patterns without it',
  read_only: 'give true or false',
  sandbox: 'give off, preferred or required',
  close_at: `give one of ${LEVELS.slice(1).join(', ')}`,
}

function checkLevel(level: string, where: string): void {
  if (level === '' || closeAtOf(level) !== undefined) return
  const known = LEVELS.slice(1)
  const [near] = nearest(level, known, 1)
  throw new AppError('failed', `${where}close_at ${JSON.stringify(level)} is no level; levels: ${known.join(', ')}`, {
    ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
  })
}

function checkDirectory(cwd: string, where: string): void {
  const problem = directoryProblem(cwd)
  if (problem === undefined) return
  throw new AppError('failed', `${where}cwd ${cwd} ${problem}`, {
    hint: 'a task runs in its cwd; give a directory that exists',
  })
}

function checkIsolation(isolation = '', where: string): void {
  if (isolation === '' || isIsolation(isolation)) return
  throw new AppError(
    'failed',
    `${where}isolation is ${JSON.stringify(isolation)}, expected ${ISOLATIONS.join(' or ')}`,
    {
      hint: 'worktree gives the task its own checkout of its repository; shared runs it in its directory',
    },
  )
}

function checkEvidence(evidence = '', where: string): void {
  if (evidence === '' || askedEvidence(evidence) !== undefined) return
  throw new AppError('failed', `${where}evidence is ${JSON.stringify(evidence)}, expected ${ASKED}`, {
    hint: 'it says where the work of the task will be, such as path:dist; without it, in its directory',
  })
}

function checkSandbox(sandbox = '', where: string): void {
  if (sandbox === '' || isSandboxMode(sandbox)) return
  throw new AppError('failed', `${where}sandbox is ${JSON.stringify(sandbox)}, expected ${SANDBOX_MODES.join(', ')}`, {
    hint: 'required starts its agent in a sandbox or not at all; preferred starts it without where none works',
  })
}

function locks(given: string, where: string): string {
  if (isLockList(given)) return lockNames(given).join(',')
  throw new AppError('failed', `${where}lock is ${JSON.stringify(given)}, expected names without spaces`, {
    hint: 'no two running tasks have a lock of the same name: --lock db, or --lock db --lock gpu',
  })
}

function checkScope(scope = '', where: string): void {
  if (scope === '') return
  const patterns = patternsOf(scope)
  const wrong = patterns.length === 0 ? scope : patterns.find((each) => patternProblem(each) !== undefined)
  if (wrong === undefined) return
  throw new AppError('failed', `${where}scope ${JSON.stringify(wrong)} ${patternProblem(wrong) ?? 'is empty'}`, {
    hint: 'give patterns of paths below the top folder of the repository, such as src/a/**; --read-only forbids all changes',
  })
}

function checkReadOnly(readOnly = '', where: string): void {
  if (readOnly === '' || isSwitch(readOnly)) return
  throw new AppError('failed', `${where}read_only is ${JSON.stringify(readOnly)}, expected true or false`, {
    hint: '--read-only forbids the task to change the project',
  })
}

function checkTarget(target = '', where: string): void {
  if (target === '' || isBranchName(target)) return
  throw new AppError('failed', `${where}target ${JSON.stringify(target)} is no name of a branch`, {
    hint: 'give the name of a local branch, as git branch lists it',
  })
}

/** Reads the configuration only for a name that is not built in: loading takes longer than most commands do. */
async function checkCoder(coder: string, home: Home, where: string): Promise<void> {
  if (coderNames().includes(coder)) return
  const { loadConfig } = await import('../config/load.ts')
  const { coderNames: known } = await loadConfig(home.config)
  if (known.includes(coder)) return
  const [near] = nearest(coder, known, 1)
  throw new AppError('failed', `${where}unknown coder ${JSON.stringify(coder)}; known coders: ${known.join(', ')}`, {
    ...(near === undefined ? {} : { hint: `did you mean ${near}?` }),
  })
}
