import { expect, test } from 'vitest'
import { guardedAmong, testCounts } from '../../../src/domain/verify/tamper.ts'

const kindOf = (path: string, command = 'true', below = '') =>
  guardedAmong([path], [{ name: 'verify', command }], below)[0]?.kind

test.each([
  ['src/cart.test.ts', 'test'],
  ['packages/cart/__tests__/cart.ts', 'test'],
  ['src/__snapshots__/cart.snap', 'test'],
  ['tests/test_cart.py', 'test'],
  ['cart/test_cart.py', 'test'],
  ['conftest.py', 'test'],
  ['cart_test.go', 'test'],
  ['src/test/java/shop/CartTest.java', 'test'],
  ['Shop.Tests/CartTests.cs', 'test'],
  ['spec/cart_spec.rb', 'test'],
  ['test/cart_test.exs', 'test'],
  ['t/cart.t', 'test'],
  ['.github/workflows/ci.yml', 'ci'],
  ['.gitlab-ci.yml', 'ci'],
  ['Jenkinsfile', 'ci'],
  ['package.json', 'configuration'],
  ['packages/cart/vitest.config.ts', 'configuration'],
  ['tsconfig.build.json', 'configuration'],
  ['pyproject.toml', 'configuration'],
  ['Cargo.toml', 'configuration'],
  ['Makefile', 'configuration'],
  ['build.gradle.kts', 'configuration'],
  ['src/cart.ts', undefined],
  ['src/contest.ts', undefined],
  ['src/latest/index.ts', undefined],
  ['docs/testing.md', undefined],
  ['src/inspector.py', undefined],
])('%s decides whether work passes as %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind)
})

test.each([
  ['./bin/check.sh --all', 'bin/check.sh'],
  ['CI=1 sh bin/check.sh', 'bin/check.sh'],
  ['npm run build && bash -eu "bin/check.sh"', 'bin/check.sh'],
  ['node --test-only tools/run.mjs', 'tools/run.mjs'],
  ['python3 -u tools/run.py src', 'tools/run.py'],
])('%s runs its own script', (command, path) => {
  expect([kindOf(path, command), kindOf(path)]).toEqual(['script', undefined])
})

test('a script is looked for where the command runs', () => {
  expect(kindOf('cart/bin/go.sh', './bin/go.sh', 'cart')).toBe('script')
  expect(kindOf('bin/go.sh', '../bin/go.sh', 'cart')).toBe('script')
  expect(kindOf('bin/go.sh', './bin/go.sh', 'cart')).toBe(undefined)
})

test('a file that a command only reads is not its script', () => {
  expect(kindOf('a.txt', 'test -e a.txt && grep -q right a.txt')).toBe(undefined)
})

test.each([
  ["it('a')\ntest('b')\n", "it('a')\n", { removed: 1, skipped: 0 }],
  ["it('a', f)\n", "it.skip('a', f)\n", { removed: 0, skipped: 1 }],
  ["describe('a', f)\nit('b', f)\n", "describe('a', f)\nit.only('b', f)\n", { removed: 0, skipped: 1 }],
  ['def test_a():\n  pass\n', '@pytest.mark.skip\ndef test_a():\n  pass\n', { removed: 0, skipped: 1 }],
  ['func TestA(t *testing.T) {\n}\n', 'func TestA(t *testing.T) {\n\tt.Skip()\n}\n', { removed: 0, skipped: 1 }],
  ['#[test]\nfn a() {}\n', '#[test]\n#[ignore]\nfn a() {}\n', { removed: 0, skipped: 1 }],
  ['@Test\nvoid a() {}\n', '@Test @Disabled\nvoid a() {}\n', { removed: 0, skipped: 1 }],
  [undefined, "it.skip('a', f)\n", { removed: 0, skipped: 1 }],
  ["it('a', f)\n", undefined, { removed: 1, skipped: 0 }],
])('tests that are gone or switched off are counted: %j', (before, after, counts) => {
  expect(testCounts(before, after)).toEqual(counts)
})
