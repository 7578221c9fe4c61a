#!/usr/bin/env node
// Builds the real bd from its Go module and prints the path of the binary. Cached outside the tree; a second run is instant.
//   node scripts/build-bd.mjs          build if needed, print the path
//   node scripts/build-bd.mjs --cached print the path if it is built already, exit 3 if not
// Exit 3: no Go on this machine, or one too old (not an error: the suites that need bd say so and are skipped).
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './cache.mjs'

const VERSION = '1.3.0' // 1.3.1 is the newest release, but its module is not available; 1.2.1 and 1.0.5 are withdrawn.
const cache = cacheFolder(`bd-${VERSION}`)
const binary = join(cache, 'bd')
/** Without `local`, Go would download another Go if the module asks for it. */
const GO = { ...process.env, GOTOOLCHAIN: 'local' }

if (process.env.FLEET_TEST_BD) {
  console.log(process.env.FLEET_TEST_BD)
} else if (existsSync(binary)) {
  console.log(binary)
} else if (process.argv.includes('--cached') || spawnSync('go', ['version']).status !== 0) {
  console.error(
    `bd ${VERSION} is not built${process.argv.includes('--cached') ? '' : ', and there is no Go to build it with'}`,
  )
  process.exitCode = 3
} else if (build()) {
  console.log(binary)
} else {
  process.exitCode = 3
}

function isOlder(version, than) {
  const [a, b] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0))
  const at = b.findIndex((part, n) => part !== (a[n] ?? 0))
  return at >= 0 && (a[at] ?? 0) < b[at]
}

// Not `go install module@version`: that also requests the list of versions, which some proxies do not serve.
function build() {
  console.error(`building bd ${VERSION} from its Go module (about seven minutes on two cores, once)`)
  mkdirSync(cache, { recursive: true })
  const download = ['mod', 'download', '-json', `github.com/steveyegge/beads@v${VERSION}`]
  const downloaded = spawnSync('go', download, { encoding: 'utf8', cwd: cache, env: GO })
  const tooOld = /requires go >= \S+/.exec(downloaded.stdout + downloaded.stderr)?.[0]
  if (downloaded.status !== 0 && tooOld === undefined)
    throw new Error(`go ${download.join(' ')}: ${downloaded.stdout}${downloaded.stderr}`)
  const module = downloaded.status === 0 ? JSON.parse(downloaded.stdout) : undefined
  const found = execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', cwd: cache, env: GO }).trim()
  const needed = module === undefined ? tooOld : /^go (\S+)/m.exec(readFileSync(module.GoMod, 'utf8'))?.[1]
  if (module === undefined || isOlder(found.replace(/^go/, ''), needed ?? '')) {
    console.error(
      `bd ${VERSION} needs Go ${needed?.replace('requires go >= ', '')}, and this machine has ${found}: it is not built`,
    )
    return false
  }
  const work = mkdtempSync(join(cache, 'build-'))
  try {
    const source = join(work, 'source')
    cpSync(module.Dir, source, { recursive: true })
    execFileSync('chmod', ['-R', 'u+w', source])
    const env = { ...GO, CGO_ENABLED: '1', GOFLAGS: '-buildvcs=false' }
    execFileSync('go', ['build', '-tags=gms_pure_go', '-o', join(work, 'bd'), './cmd/bd'], {
      cwd: source,
      env,
      stdio: ['ignore', 2, 2],
    })
    renameSync(join(work, 'bd'), binary)
    return true
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
