import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from './cache.mjs'
import { REAL_CODERS } from './real-coders.mjs'

const PATIENCE = 5 * 60_000

/**
 * Installs the real coder CLIs from npm, in parallel and once; throws with every reason if one is not available.
 * @param {readonly string[]} names
 * @returns {Promise<Record<string, string>>} for each name a folder to put on PATH
 */
export async function installCoders(names) {
  const installed = await Promise.allSettled(names.map(installCoder))
  const reasons = installed.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))
  if (reasons.length > 0) throw new Error(reasons.join('\n'))
  return Object.fromEntries(names.map((name, n) => [name, installed[n].value]))
}

async function installCoder(name) {
  const { package: source, version, programs } = REAL_CODERS[name]
  const place = cacheFolder(`${name}-${version}`)
  if (existsSync(place)) return join(place, 'bin')
  const begun = Date.now()
  console.error(`installing ${name} ${version} from npm`)
  mkdirSync(dirname(place), { recursive: true })
  const work = mkdtempSync(`${place}.`)
  try {
    await unpack(work, `${source}@${version}`)
    const program = await firstThatRuns(work, programs, version)
    mkdirSync(join(work, 'bin'))
    symlinkSync(join('..', program), join(work, 'bin', name))
    moveInto(place, work)
  } catch (error) {
    throw new Error(`${name} ${version} could not be installed from npm: ${error.message}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  console.error(`installed ${name} ${version} in ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  return join(place, 'bin')
}

async function unpack(folder, spec) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  await outputOf('npm', ['install', '--prefix', folder, ...flags, spec], folder)
}

async function firstThatRuns(folder, programs, version) {
  const troubles = []
  for (const each of programs) {
    const program = join('node_modules', each)
    try {
      const said = await outputOf(join(folder, program), ['--version'], folder)
      if (said.includes(version)) return program
      troubles.push(`${each} says that it is ${said.trim()}`)
    } catch (error) {
      troubles.push(error.message)
    }
  }
  throw new Error(troubles.join('; '))
}

/** Another process may have installed the same in the meantime. */
function moveInto(place, work) {
  try {
    renameSync(work, place)
  } catch (error) {
    if (!existsSync(place)) throw error
  }
}

/** HOME is the folder itself, so that files of a CLI's first start stay inside. */
function outputOf(file, argv, folder) {
  const home = file === 'npm' ? {} : { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const child = spawn(file, argv, {
    cwd: folder,
    env: { ...process.env, ...home },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(out)
      const why = signal === null ? `exit ${code}` : `ended by ${signal} after ${PATIENCE / 1000} s at most`
      reject(new Error(`${file} ${argv.join(' ')}: ${why}\n${err.slice(-2000)}`))
    })
  })
}
