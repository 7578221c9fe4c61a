import { AppError } from '../../errors.ts'
import type { Coder, CoderTraits, Launch, ReviewerOrder } from '../../ports/coder.ts'
import { fields, string } from '../shared/fields.ts'
import { checkedEvents, messageOf } from './checked-events.ts'
import { checkedSidecar } from './checked-sidecar.ts'
import { checkedVerdict } from './checked-trouble.ts'
import { isProgram } from './template.ts'

/** The file of a user's coder. */
export interface ModuleSource {
  /** The name it must have: the file name without its extension. */
  readonly name: string
  readonly file: string
}

/**
 * The coder that a user's file exports. Each member is checked here, and each value it returns is checked again: a mistake
 * costs its own events or its own attempt, never another run.
 */
export function coderOfModule(exported: unknown, source: ModuleSource): Coder {
  const made = fields(exported)
  if (made === undefined) throw wrong(source, 'has no default export that is a coder')
  for (const { member, fits, expected } of MEMBERS) {
    const value = member.split('.').reduce<unknown>((from, key) => fields(from)?.[key], made)
    if (!fits(value, source))
      throw wrong(source, `${value === undefined ? 'has no' : 'has a wrong'} ${member}`, expected)
  }
  const coder = exported as Coder
  const { windowOf, payers, forVersion, launchReviewer, sidecar, toolsToldLate } = coder
  return {
    ...(windowOf === undefined ? {} : { windowOf: (model: string) => windowFrom(coder, model) }),
    ...(payers === undefined ? {} : { payers: texts(payers) }),
    ...(forVersion === undefined ? {} : { forVersion: (version: string) => inVersion(coder, version, source) }),
    ...(sidecar === undefined ? {} : { sidecar: checkedSidecar(sidecar, source.file) }),
    ...(toolsToldLate === undefined ? {} : { toolsToldLate }),
    name: source.name,
    binary: coder.binary,
    traits: { ...coder.traits },
    launch: (order) => checkedLaunch(coder.launch(order), source),
    ...(launchReviewer === undefined ? {} : { launchReviewer: (order) => reviewerLaunch(coder, order, source) }),
    parse: (line) => checkedEvents(line, `${source.file}: parse`, (each) => coder.parse(each)),
    verdict: (...seen) => verdictOf(coder, seen, source),
  }
}

interface Member {
  readonly member: string
  readonly expected: string
  fits(value: unknown, source: ModuleSource): boolean
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const orNothing = (fits: (value: unknown) => boolean) => (value: unknown) => value === undefined || fits(value)

const TRAITS: Readonly<Record<keyof CoderTraits, readonly [expected: string, fits: (value: unknown) => boolean]>> = {
  claim: ['explicit or exit', (value) => value === 'explicit' || value === 'exit'],
  evidence: ['work or exit', (value) => value === 'work' || value === 'exit'],
  resume: ['true or false', (value) => typeof value === 'boolean'],
  hooks: ['true, or nothing', (value) => value === undefined || value === true],
  stream: ['json or text', (value) => value === 'json' || value === 'text'],
  contextWindow: [
    'a number of tokens, or nothing',
    (value) => value === undefined || (typeof value === 'number' && value > 0),
  ],
  defaultModel: ['the name of a model, or nothing', (value) => value === undefined || string(value) !== undefined],
}

const MEMBERS: readonly Member[] = [
  { member: 'name', expected: 'the name of its file', fits: (value, { name }) => value === name },
  {
    member: 'binary',
    expected: 'a program on PATH or an absolute path',
    fits: (value) => isProgram(string(value) ?? './'),
  },
  { member: 'traits', expected: 'an object', fits: (value) => fields(value) !== undefined },
  ...Object.entries(TRAITS).map(([name, [expected, fits]]) => ({ member: `traits.${name}`, expected, fits })),
  { member: 'launch', expected: 'a function of an order', fits: isFunction },
  { member: 'launchReviewer', expected: 'a function of an order, or nothing', fits: orNothing(isFunction) },
  { member: 'parse', expected: 'a function of a line', fits: isFunction },
  { member: 'verdict', expected: 'a function of exit, digest and stderr', fits: isFunction },
  { member: 'windowOf', expected: 'a function of a model, or nothing', fits: orNothing(isFunction) },
  { member: 'toolsToldLate', expected: 'true, or nothing', fits: orNothing((value) => value === true) },
  { member: 'payers', expected: 'an object, or nothing', fits: orNothing((value) => fields(value) !== undefined) },
  { member: 'forVersion', expected: 'a function of a version, or nothing', fits: orNothing(isFunction) },
  {
    member: 'sidecar',
    expected: 'an object with the functions place and reader, or nothing',
    fits: orNothing((value) => isFunction(fields(value)?.['place']) && isFunction(fields(value)?.['reader'])),
  },
]

function wrong({ file, name }: ModuleSource, what: string, expected?: string): AppError {
  const words = expected === undefined ? what : `${what}, expected ${expected}`
  return new AppError('config', `${file} ${words}`, { hint: `fix it, or do without the coder ${name}` })
}

/** A version may be a different coder: it is checked in the same way. */
function inVersion(coder: Coder, version: string, source: ModuleSource): Coder {
  let made: unknown
  try {
    made = coder.forVersion?.(version)
  } catch (thrown) {
    throw wrong(source, `has a forVersion that failed (${messageOf(thrown)})`)
  }
  if (fields(made) === undefined) throw wrong(source, 'has a forVersion that gave no coder')
  return coderOfModule(made, source)
}

function verdictOf(
  coder: Coder,
  seen: Parameters<Coder['verdict']>,
  { file }: ModuleSource,
): ReturnType<Coder['verdict']> {
  const error = (why: string) => ({ kind: 'failed', outcome: { code: 'error', text: `${file}: ${why}` } }) as const
  try {
    return checkedVerdict(coder.verdict(...seen)) ?? error('verdict gave none that fleet knows')
  } catch (thrown) {
    return error(`verdict failed (${messageOf(thrown)})`)
  }
}

/** Its prompt is on stdin. */
function reviewerLaunch(
  coder: Coder,
  order: ReviewerOrder,
  { name, file }: ModuleSource,
): Pick<Launch, 'args' | 'env'> {
  const made = { ...fields(coder.launchReviewer?.(order)), stdin: 'prompt' }
  const { args, env } = checkedLaunch(made, { name, file: `${file}: launchReviewer` })
  return { args, env }
}

function checkedLaunch(made: unknown, { file }: ModuleSource): Launch {
  const launch = fields(made)
  const { args, stdin, env, promptAs, files = {} } = launch ?? {}
  const refuse = (what: string): never => {
    throw new Error(`${file}: launch gave ${what}`)
  }
  if (!Array.isArray(args) || args.some((each) => typeof each !== 'string')) return refuse('no args, a list of words')
  if (stdin !== 'prompt' && stdin !== 'closed') return refuse('no stdin, prompt or closed')
  const variables = Object.entries(fields(env) ?? refuse('no env, an object'))
  if (variables.some(([, value]) => typeof value !== 'string')) return refuse('an env that is not all texts')
  const beside = Object.entries(fields(files) ?? refuse('files that are no object'))
  const strange = beside.find(([name, text]) => !isFree(name) || typeof text !== 'string')
  if (strange !== undefined) return refuse(`a file ${JSON.stringify(strange[0])} that cannot stand beside its prompt`)
  const form = typeof promptAs === 'function' ? { promptAs: promptAs as NonNullable<Launch['promptAs']> } : {}
  return { args: args as string[], stdin, env: texts(env), files: texts(files), ...form }
}

/** A plain name that fleet does not use in the folder of an attempt. */
function isFree(name: string): boolean {
  return /^[a-z0-9][\w.-]*$/i.test(name) && !OWN.test(name)
}

const OWN = /^(?:(?:prompt|launch|receipt|stdout|stderr|exit)\..*|stdin|tmp|inbox)$/

/** The members of an object that are strings. */
function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields(value) ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function windowFrom(coder: Coder, model: string): number | undefined {
  try {
    const tokens: unknown = coder.windowOf?.(model)
    return typeof tokens === 'number' && tokens > 0 ? tokens : undefined
  } catch {
    return undefined
  }
}
