import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { check, type Raw } from '../../src/config/check.ts'
import { findSetting } from '../../src/config/key.ts'
import { policyOf } from '../../src/config/policy.ts'
import type { Policy } from '../../src/domain/fleet/policy.ts'
import { isNode, nodesIn } from '../support/syntax.ts'
import { settingKeys } from './keys.ts'

/**
 * A setting is read if one of these holds:
 *
 * 1. Another value of it makes another policy, and a file outside config/ reads the part of the policy that differs:
 *    `policy.lean`, `policy().lean`, or `{ lean } = world.policy()`. The parts are found by making both policies.
 * 2. A file outside config/ that imports the configuration, or that defines the block of a coder, reads it by its name:
 *    `config.queue`, `{ queue } = loaded.config`, `block.context_window`.
 *
 * The syntax tree decides, not the text: a comment, a message or a declaration is no reading. Whether the reading has the
 * documented effect is shown by test/e2e/in-force.
 */

const src = resolve(import.meta.dirname, '../../src')

interface Reading {
  readonly name: string
  /** `policy` for something read from a policy. */
  readonly from: string
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('config/'))
  .map((file) => readFileSync(join(src, file), 'utf8'))

const readings = files.map((text) => ({
  read: readingsIn(text),
  knowsConfig: /\/config\/(?:load|schema)\.ts'/.test(text) || text.includes('interface CoderBlock'),
}))

function readingsIn(text: string): Reading[] {
  return nodesIn(text, 'ts').flatMap(({ node, parent }) => {
    if (node.type === 'MemberExpression') return named(node['property'], sourceOf(node['object']))
    if (node.type !== 'ObjectPattern') return []
    const from = parent?.type === 'VariableDeclarator' ? sourceOf(parent['init']) : ''
    return (node['properties'] as readonly { readonly key?: unknown }[]).flatMap(({ key }) => named(key, from))
  })
}

function named(word: unknown, from: string): Reading[] {
  return isNode(word) && word.type === 'Identifier' ? [{ name: String(word['name']), from }] : []
}

/** The last word of `world.policy()`, `this.#world.policy().limits` or `policyOf(…)`. */
function sourceOf(expression: unknown): string {
  if (!isNode(expression)) return ''
  if (expression.type === 'ChainExpression') return sourceOf(expression['expression'])
  if (expression.type === 'CallExpression') return sourceOf(expression['callee'])
  if (expression.type === 'MemberExpression') return sourceOf(expression['property'])
  return expression.type === 'Identifier' ? String(expression['name']) : ''
}

/** The names that a policy, its limits and its host have where they are read. `own`: the host, in domain/fleet/host.ts. */
const POLICIES = ['policy', 'policyOf', 'limits', 'host', 'own']

function isReadFromPolicy(member: string): boolean {
  return readings.some(({ read }) => read.some(({ name, from }) => name === member && POLICIES.includes(from)))
}

function isReadByName(key: string): boolean {
  const last = key.split('.').at(-1)
  return readings.some(({ read, knowsConfig }) => knowsConfig && read.some(({ name }) => name === last))
}

/** A file with this setting; the two values differ from each other and, together, from any default. */
function filesWith(key: string): readonly Raw[] {
  const words = key.split('.').map((word) => (word === '*' ? (key.startsWith('projects') ? '/p' : 'mine') : word))
  const found = findSetting(words)
  if (found.kind !== 'setting') throw new Error(`${key} is no setting`)
  const { read } = found.setting.kind
  const values = CANDIDATES.filter((value) => read(value) !== undefined)
  return values.map((value) => {
    const raw = words.reduceRight<unknown>((inner, word) => ({ [word]: inner }), value) as Record<string, unknown>
    return key.startsWith('coders') ? withCommand(raw) : raw
  })
}

/** A coder of one's own needs a command. */
function withCommand(raw: Record<string, unknown>): Raw {
  const { mine } = raw['coders'] as { mine: Record<string, unknown> }
  return { coders: { mine: { command: ['mine'], ...mine } } }
}

const WORDS = [
  'full',
  'workspace',
  'on',
  'off',
  'claimed',
  'reviewed',
  'warn',
  'explicit',
  'exit',
  'claude',
  'text',
  'codex',
  'auto',
  'manual',
  'squash',
  'merge',
  'shared',
  'worktree',
  'required',
]
const CANDIDATES: readonly unknown[] = [
  ...[...WORDS, '20s', '50s', '5GB', '6GB', 'postgres://h/a', 'postgres://h/b'],
  ...[
    true,
    false,
    5,
    6,
    5000,
    6000,
    ['GH_TOKEN'],
    ['B', '{session}'],
    ['/a'],
    ['/a', '/b'],
    {},
    { '/a': '/b' },
    { A: '1' },
  ],
]

/** The members of the policy that some two values of the setting make differ. */
function changedMembers(key: string): string[] {
  const policies = filesWith(key).flatMap((raw) => {
    const checked = check(raw)
    return 'config' in checked ? [flat(policyOf(checked.config))] : []
  })
  const [first = {}] = policies
  return Object.keys(first).filter((member) => new Set(policies.map((each) => each[member])).size > 1)
}

/** The values of a policy, and what its functions answer about the project and the coder of the candidates. */
function flat(policy: Policy): Readonly<Record<string, string>> {
  const { limits, host, ...rest } = policy
  const values = {
    ...rest,
    ...limits,
    ...host,
    withholds: ['GH_TOKEN', 'B'].map((name) => policy.withholds(name)),
    assignment: [policy.assignment({}), policy.assignment({ cwd: '/p' })],
    closeAt: [policy.closeAt(undefined), policy.closeAt('/p')],
    isolation: [policy.isolation({}), policy.isolation({ cwd: '/p' })],
    sandbox: [policy.sandbox({}), policy.sandbox({ cwd: '/p' })],
    worktree: policy.worktree('/p'),
    projectCap: policy.projectCap('/p'),
    reviewBy: policy.reviewBy('/p'),
    maxUnreviewed: policy.maxUnreviewed('/p'),
    landing: policy.landing('/p'),
    verify: policy.verify('/p'),
    tamper: policy.tamper('/p'),
    byProducts: policy.byProducts('/p'),
    tamperInclude: policy.tamperInclude('/p'),
    scope: policy.scope('/p'),
    coderEnv: policy.coderEnv('mine'),
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value) ?? '']))
}

test.each(settingKeys())('%s is read outside config/', (key) => {
  const members = changedMembers(key)
  expect({ key, isRead: members.some(isReadFromPolicy) || isReadByName(key) }).toEqual({ key, isRead: true })
})

test('a name that nothing reads is found out', () => {
  expect([isReadByName('budget.usd_per_day'), isReadByName('timeouts.tool_mcp'), isReadFromPolicy('spend')]).toEqual([
    false,
    false,
    false,
  ])
})
