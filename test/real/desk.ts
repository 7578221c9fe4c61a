import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scratchBase } from '../../scripts/scratch.mjs'
import type { RealCoder } from './coders/real-coder.ts'
import { ran } from './processes.ts'

/** A person's machine for one test: a home, a git project, and a clean environment. */
export interface Desk extends Disposable {
  readonly folder: string
  readonly home: string
  readonly project: string
  readonly env: Readonly<Record<string, string>>
}

/** Any value works: the model on loopback refuses only BAD_KEY. */
const KEY = 'sk-of-the-tests'

export async function desk(coder: RealCoder, model: { url: string }): Promise<Desk> {
  const folder = mkdtempSync(join(scratchBase(), 'fleet-real-'))
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  for (const each of [home, project]) mkdirSync(each)
  for (const [path, text] of Object.entries(coder.files({ url: model.url, home }))) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const env = {
    PATH: [binOf(coder.name), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    USER: 'tester',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...proxies(model.url),
    [coder.key]: KEY,
  }
  writeFileSync(join(project, 'kept.txt'), 'old\n')
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@localhost']
  for (const argv of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    [...as, 'commit', '-q', '-m', 'First'],
  ]) {
    const { code, stderr } = await ran(['git', ...argv], { cwd: project, env })
    if (code !== 0) throw new Error(stderr)
  }
  return { folder, home, project, env, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The model is the proxy for all other hosts: it records the request and refuses it. */
function proxies(url: string): Readonly<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const direct = { NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' }
  return { ...Object.fromEntries(names.map((name) => [name, url])), ...direct }
}

/** scripts/test-real.mjs installs the coders and passes their folders. */
function binOf(coder: string): string {
  const bins = JSON.parse(process.env['FLEET_REAL_CODERS'] ?? '{}') as Readonly<Record<string, string>>
  const bin = bins[coder]
  if (bin === undefined) throw new Error(`${coder} is not installed: npm run test:real does that first`)
  return bin
}
