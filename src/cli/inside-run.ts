import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { Flags } from './flags.ts'
import type { CommandName } from './registry.ts'

/** Permissions of a command that an agent calls inside its run. An agent's word is evidence, never a state change. */
type Inside =
  /** Read-only. */
  | 'reads'
  /** Posts a letter to the supervisor. */
  | 'speaks'
  /** Works in a temporary home. */
  | 'apart'
  /** For people: it changes the fleet's work, or its judgement of what is done. */
  | 'refused'

/** Of the command itself (''), of each subcommand, and of flags that make another command of it. */
type Rules = Readonly<Record<string, Inside>> & { readonly '': Inside }

/** A new command does not compile without a line here; a new subcommand is refused until it has one. */
export const INSIDE: Readonly<Record<CommandName, Inside | Rules>> = {
  init: 'refused',
  config: { '': 'reads', show: 'reads', get: 'reads', set: 'refused', accept: 'refused', revert: 'refused' },
  queue: { '': 'reads', migrate: 'refused' },
  demo: 'apart',
  doctor: { '': 'reads', '--restore': 'refused' },
  ready: 'reads',
  run: {
    '': 'refused',
    start: 'refused',
    stop: 'refused',
    status: 'reads',
    restart: 'refused',
    drain: 'refused',
    install: 'refused',
    uninstall: 'refused',
  },
  show: 'reads',
  tasks: 'reads',
  task: { '': 'reads', accept: 'refused', revert: 'refused' },
  hosts: 'reads',
  log: 'reads',
  pause: 'refused',
  resume: 'refused',
  retry: 'refused',
  kill: 'refused',
  // Work that waits to land may be of other tasks.
  land: 'refused',
  gc: 'refused',
  questions: 'reads',
  answer: 'refused',
  tell: 'refused',
  review: 'refused',
  // An agent that listed what it wants to do was not allowed to do it.
  approve: 'refused',
  done: 'speaks',
  ask: 'speaks',
  note: 'speaks',
  hook: 'speaks',
  completion: { '': 'reads', bash: 'reads', zsh: 'reads', fish: 'reads', words: 'reads' },
}

const STARTS_SUPERVISOR: ReadonlySet<string> = new Set(['run', 'run start'])

interface Called {
  readonly path: readonly string[]
  readonly flags: Flags
}

/** Only in the home of the run: in a home that it made itself, an agent may call any command. */
export async function refuseInside(
  { path, flags }: Called,
  { env, home }: { env: NodeJS.ProcessEnv; home: Home },
): Promise<void> {
  const words = [...path, ...flagRules(path).filter((flag) => flags.on(flag.slice(2)))]
  if (ruleOf(words) !== 'refused') return
  const { enclosedBy } = await import('../views/enclosing-run.ts')
  const enclosed = await enclosedBy(home, env, { startsSupervisor: STARTS_SUPERVISOR.has(words.join(' ')) })
  if (enclosed === undefined) return
  const what = `fleet ${words.join(' ')} is for people`
  if (enclosed.kind === 'in-some-run') {
    const { supervisorAlive } = await import('../platform/sqlite/supervisor-lock.ts')
    throw new AppError('conflict', `${what}, and this looks like a command of an agent: ${enclosed.why}`, {
      hint: supervisorAlive(home)
        ? 'as a person, call it from a terminal beside the supervisor, outside of any sandbox or new namespace'
        : 'as a person, start the supervisor here first: fleet run start',
    })
  }
  const { run, task } = enclosed.run
  throw new AppError(
    'conflict',
    `${what}: an agent changes nothing of the fleet it runs in (this is run ${run} of ${task})`,
    { hint: 'fleet ask "<question>" asks a person for it; fleet note "<text>" tells them something' },
  )
}

function ruleOf(words: readonly string[]): Inside {
  const [name = '', ...more] = words
  const rules = INSIDE[name as CommandName]
  return typeof rules === 'string' ? rules : (rules[more.at(-1) ?? ''] ?? 'refused')
}

function flagRules([name = '']: readonly string[]): readonly string[] {
  const rules = INSIDE[name as CommandName]
  return typeof rules === 'string' ? [] : Object.keys(rules).filter((key) => key.startsWith('--'))
}
