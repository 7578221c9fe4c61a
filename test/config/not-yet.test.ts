import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check, type Raw } from '../../src/config/check.ts'
import { findSetting, parseKey } from '../../src/config/key.ts'
import { LivePolicy } from '../../src/config/live-policy.ts'
import { loadConfig } from '../../src/config/load.ts'
import { available, withoutEffectLine } from '../../src/config/not-yet.ts'
import { policyOf } from '../../src/config/policy.ts'
import { configReference } from '../../src/config/reference.ts'
import { template } from '../../src/config/template.ts'
import { KnownSecrets } from '../../src/domain/agent/known-secrets.ts'
import { temporaryFolder } from '../support/cli.ts'

const RESERVED = [
  'budget.tokens_per_attempt',
  'budget.usd_per_day',
  'lanes.work.coder',
  'lanes.work.env',
  'projects."/a".fallback',
]

function fileWith(text: string): string {
  const path = join(temporaryFolder(), 'runtime.toml')
  writeFileSync(path, text)
  return path
}

describe('a setting that is not available yet', () => {
  test.each(RESERVED)('%s has no effect in a file, and the rest of the file is in force', async (key) => {
    const text = `max_concurrent = 7\n${key} = "x"\n`
    const { config, withoutEffect } = await loadConfig(fileWith(text))
    expect(config).toEqual({
      ...(await loadConfig(fileWith('max_concurrent = 7\n'))).config,
      projects: expect.anything(),
    })
    expect(withoutEffect).toEqual([key])
  })

  test.each(RESERVED)('%s is in no table, template or page', (key) => {
    expect(findSetting(parseKey(key) ?? [])).toMatchObject({ kind: 'unknown' })
    const name = parseKey(key)?.at(-1) ?? ''
    // Words of their own only: `coder` and `env` are also settings of other tables.
    if (['coder', 'env', 'fallback'].includes(name)) return
    for (const page of [template(), configReference()]) expect(page).not.toMatch(new RegExp(`\\b${name}\\b`))
  })

  test('a table without settings is no reason for a warning', async () => {
    expect((await loadConfig(fileWith('[budget]\n[lanes]\n'))).withoutEffect).toEqual([])
  })

  test('one sentence names them all', () => {
    expect(withoutEffectLine([])).toBeUndefined()
    expect(withoutEffectLine(['lanes'])).toBe('runtime.toml: lanes is not available yet and has no effect')
    expect(withoutEffectLine(['a', 'b', 'c'])).toBe('runtime.toml: a, b and c are not available yet and have no effect')
    expect(withoutEffectLine(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe(
      'runtime.toml: a, b, c, d, e and 2 more are not available yet and have no effect',
    )
  })

  test('a running supervisor tells each of them once, and goes on with the rest', async () => {
    const path = fileWith('lanes.a.cap = 2\n')
    const live = await LivePolicy.open(path, { secrets: new KnownSecrets(() => undefined) })
    expect(live.newsOfNoEffect()).toEqual(['lanes.a.cap'])
    writeFileSync(path, 'lanes.a.cap = 2\nmax_concurrent = 9\nbudget.usd_per_day = 5\n')
    expect(await live.refresh()).toEqual({ kind: 'read', news: ['budget.usd_per_day'] })
    expect(live.policy().maxConcurrent).toBe(9)
    writeFileSync(path, 'max_concurrent = 8\nbudget.usd_per_day = 6\n')
    expect(await live.refresh()).toEqual({ kind: 'read', news: [] })
  })

  test('whatever a file has, what remains of it is the file without the reserved keys', () => {
    const name = fc.constantFrom('budget', 'lanes', 'timeouts', 'projects', 'tool', 'idle', 'verify', 'x')
    const { tree } = fc.letrec<{ tree: Raw; value: unknown }>((tie) => ({
      tree: fc.dictionary(name, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<Raw>,
      value: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), tie('tree')),
    }))
    fc.assert(
      fc.property(tree, (raw) => {
        const { rest } = available(raw)
        expect(available(rest)).toEqual({ rest, withoutEffect: [] })
        expect(Object.keys(raw)).toEqual(expect.arrayContaining(Object.keys(rest)))
      }),
    )
  })
})

describe('the path of a project', () => {
  const capOf = (paths: readonly string[], cwd: string) => {
    const projects = Object.fromEntries(paths.map((path, i) => [path, { max_concurrent: i + 1 }]))
    const checked = check({ projects })
    if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
    return policyOf(checked.config).projectCap(cwd)?.cap
  }

  test('may begin with ~', () => {
    expect(capOf(['~/x'], join(homedir(), 'x', 'deep'))).toBe(1)
    expect(capOf(['~'], join(homedir(), 'y'))).toBe(1)
    expect(capOf(['~/x'], join(homedir(), 'xy'))).toBeUndefined()
  })

  test('may end with a slash and contain dots', () => {
    expect(capOf(['/a/b/'], '/a/b')).toBe(1)
    expect(capOf(['/a/./c/../b//'], '/a/b/c')).toBe(1)
    expect(capOf(['/'], '/a')).toBe(1)
  })

  test('may be a link, and so may the directory of a task', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'real', 'deep'), { recursive: true })
    symlinkSync(join(folder, 'real'), join(folder, 'link'))
    const [real, link] = [join(folder, 'real'), join(folder, 'link')]
    expect([capOf([link], join(real, 'deep')), capOf([real], join(link, 'deep')), capOf([link], link)]).toEqual([
      1, 1, 1,
    ])
    expect(capOf([real, join(link, 'deep')], join(real, 'deep', 'gone'))).toBe(2)
  })
})
