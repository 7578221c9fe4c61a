import { expect, test } from 'vitest'
import { scriptsOf } from '../../../src/domain/verify/scripts.ts'
import { guarding } from '../../../src/domain/verify/tamper.ts'
import { mayHaveTests, testCounts } from '../../../src/domain/verify/test-counts.ts'

const ROOT = '/home/anna/shop'
const DEFINITIONS = new Map([
  [
    'package.json',
    JSON.stringify({ scripts: { test: 'npm run check', check: 'node tools/check.mjs', prebuild: './bin/pre' } }),
  ],
  ['cart/Makefile', 'check: all\n\t@sh ./bin/check.sh \\\n\t  --all\n'],
])

const kindOf = (path: string, command = 'true', below = '', include: readonly string[] = []) => {
  const scripts = scriptsOf({ lines: [command], root: ROOT, below }, DEFINITIONS)
  return guarding({ scripts, include })([path])[0]?.kind
}

test.each([
  ['src/cart.test.ts', 'test'],
  ['packages/cart/__tests__/cart.ts', 'test'],
  ['src/__snapshots__/cart.snap', 'test'],
  ['tests/test_cart.py', 'test'],
  ['cart/test_cart.py', 'test'],
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
  ['src/setupTests.ts', 'configuration'],
  ['conftest.py', 'configuration'],
  ['app/src/integrationTest/java/shop/Cart.java', 'test'],
  ['Shop.Tests/Cart.cs', 'test'],
  ['ShopTests/Cart.cs', 'test'],
  ['src/__fixtures__/cart.json', 'test'],
  ['package-lock.json', 'configuration'],
  ['.npmrc', 'configuration'],
  ['setup.py', 'configuration'],
  ['requirements-dev.txt', 'configuration'],
  ['go.mod', 'configuration'],
  ['deno.json', 'configuration'],
  ['.babelrc', 'configuration'],
  ['.rubocop.yml', 'configuration'],
  ['gradle.properties', 'configuration'],
  ['sub/.cargo/config.toml', 'configuration'],
  ['sub/.gitignore', 'configuration'],
  ['src/cart.ts', undefined],
  ['src/contest.ts', undefined],
  ['src/latest/index.ts', undefined],
  ['docs/testing.md', undefined],
  ['src/inspector.py', undefined],
  ['src/Contests/index.ts', undefined],
  ['workflows/ci.yml', undefined],
])('%s decides whether work passes as %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind)
})

test.each([
  ['./bin/check.sh --all', 'bin/check.sh'],
  ['CI=1 sh bin/check.sh', 'bin/check.sh'],
  ['npm run build && bash -eu "bin/check.sh"', 'bin/check.sh'],
  ['node --test-only tools/run.mjs', 'tools/run.mjs'],
  ['python3 -u tools/run.py src', 'tools/run.py'],
  ['cd bin && sh ./check.sh', 'bin/check.sh'],
  ['cd cart; cd ../bin && ./check.sh', 'bin/check.sh'],
  ['timeout 600 ./bin/check.sh', 'bin/check.sh'],
  ['nice -n 5 ./bin/check.sh', 'bin/check.sh'],
  ['if ./bin/check.sh; then echo fine; fi', 'bin/check.sh'],
  ['! ./bin/check.sh', 'bin/check.sh'],
  ['{ ./bin/check.sh; }', 'bin/check.sh'],
  ["sh -c './bin/check.sh'", 'bin/check.sh'],
  ['npx tsx tools/run.ts', 'tools/run.ts'],
  ['npx --yes tsx tools/run.ts', 'tools/run.ts'],
  ['uv run python tools/run.py', 'tools/run.py'],
  ['uv run --locked tools/run.py', 'tools/run.py'],
  ['poetry run python -W ignore tools/run.py', 'tools/run.py'],
  ['python -m tools.check --all', 'tools/check.py'],
  ['python -m tools', 'tools/__main__.py'],
  ['deno run -A tools/run.ts', 'tools/run.ts'],
  ['bun run tools/run.ts', 'tools/run.ts'],
  ['node -r ./tools/hook.js dist/index.js', 'tools/hook.js'],
  ['node --import=./tools/hook.js dist/index.js', 'tools/hook.js'],
  ['go run ./tools/check', 'tools/check/main.go'],
  [`${ROOT}/bin/check.sh`, 'bin/check.sh'],
  ['npm test', 'tools/check.mjs'],
  ['npm run --silent check -- --all', 'tools/check.mjs'],
  ['pnpm check', 'tools/check.mjs'],
  ['yarn build', 'bin/pre'],
  ['cd cart && make -j4 check', 'cart/bin/check.sh'],
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
  expect(kindOf('src/cart.ts', 'npx eslint src/cart.ts && node dist/cli.js src/cart.ts')).toBe(undefined)
  expect(kindOf('bin/check.sh', '/elsewhere/bin/check.sh')).toBe(undefined)
})

test('patterns of the user add files, and take them out; the last one that matches decides', () => {
  const include = ['*.golden', '/data/', '!data/raw/', '!go.mod', '!bin/check.sh']
  const kinds = ['a/b.golden', 'data/a.csv', 'data/raw/a.csv', 'go.mod', 'bin/check.sh', 'sub/data/a.csv', 'go.sum']
  expect(kinds.map((path) => kindOf(path, './bin/check.sh', '', include))).toEqual([
    ...['configuration', 'configuration', undefined, undefined, undefined, undefined, 'configuration'],
  ])
})

test.each([
  ["it('a')\ntest('b')\n", "it('a')\n", { removed: 1, skipped: 0 }],
  ["it('a', f)\n", "it.skip('a', f)\n", { removed: 0, skipped: 1 }],
  ["describe('a', f)\nit('b', f)\n", "describe('a', f)\nit.only('b', f)\n", { removed: 0, skipped: 1 }],
  ['def test_a():\n  pass\n', '@pytest.mark.skip\ndef test_a():\n  pass\n', { removed: 0, skipped: 1 }],
  ['func TestA(t *testing.T) {\n}\n', 'func TestA(t *testing.T) {\n\tt.Skip()\n}\n', { removed: 0, skipped: 1 }],
  ['#[test]\nfn a() {}\n', '#[test]\n#[ignore]\nfn a() {}\n', { removed: 0, skipped: 1 }],
  ['@Test\nvoid a() {}\n', '@Test @Disabled\nvoid a() {}\n', { removed: 0, skipped: 1 }],
  ['', "it.skip('a', f)\n", { removed: 0, skipped: 1 }],
  ["it('a', f)\n", '', { removed: 1, skipped: 0 }],
])('tests that are gone or switched off are counted: %j', (before, after, counts) => {
  expect(testCounts([{ before, after }])).toEqual(counts)
})

test('tests that move to another file are not gone', () => {
  const moved = [
    { before: "it('a', f)\nit.skip('b', f)\n", after: '' },
    { before: '', after: "it('a', f)\nit.skip('b', f)\n" },
  ]
  expect(testCounts(moved)).toEqual({ removed: 0, skipped: 0 })
})

test('prose and data have no tests, code of any language may', () => {
  const paths = ['README.md', 'data.json', 'src/lib.rs', 'src/cart.test.ts', 'Makefile']
  expect(paths.map(mayHaveTests)).toEqual([false, false, true, true, true])
})
