import { expect, test } from 'vitest'
import { check, type Raw } from '../../src/config/check.ts'
import { policyOf } from '../../src/config/policy.ts'
import { SETTINGS, type Section } from '../../src/config/schema.ts'

interface Enumeration {
  /** The keys that lead to it, with a name for each `*`. */
  readonly path: readonly string[]
  readonly values: readonly string[]
}

const NAMES: Readonly<Record<string, string>> = { projects: '/a', coders: 'mine' }

function enumerations({ members }: Section, above: readonly string[] = []): Enumeration[] {
  return Object.entries(members).flatMap(([name, node]) => {
    const path = [...above, name]
    if (node.node === 'each') return enumerations(node.section, [...path, NAMES[name] ?? ''])
    if (node.node === 'section') return enumerations(node, path)
    const [, values] = /^one of (.*)$/.exec(node.kind.expected) ?? []
    return values === undefined ? [] : [{ path, values: values.split(', ') }]
  })
}

/** All that the policy says about the tasks of one directory. */
function decisions(raw: Raw): unknown {
  const checked = check(raw)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  const { isolation, sandbox, closeAt, tamper, landing, ...policy } = policyOf(checked.config)
  const ofProject = [isolation({ cwd: '/a' }), sandbox({ cwd: '/a' }), closeAt('/a'), tamper('/a'), landing('/a')]
  return JSON.stringify([policy, ofProject])
}

// What a coder of the user's prints, and how it says that it is done, is no policy: test/coders/user.
const OF_POLICY = enumerations(SETTINGS).filter(({ path }) => path[0] !== 'coders')

test.each(OF_POLICY.map((each) => [each.path.join('.'), each] as const))(
  'no two values of %s mean the same to a supervisor',
  (_name, { path, values }) => {
    const rawOf = (value: string): Raw =>
      path.reduceRight<unknown>((within, name) => ({ [name]: within }), value) as Raw
    expect(new Set(values.map((value) => decisions(rawOf(value)))).size).toBe(values.length)
  },
)
