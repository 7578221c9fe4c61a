import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from './cache.mjs'

const PATIENCE = 5 * 60_000

/**
 * Installs a program from npm, once, outside the tree and without install scripts.
 * @param {{ name: string, package: string, version: string, programs: readonly string[] }} wanted `programs`: where npm
 *   unpacks the program, below node_modules; the first that runs is used
 * @returns {Promise<string>} a folder to put on PATH
 */
export async function installProgram({ name, package: source, version, programs }) {
  const place = cacheFolder(`${name}-${version}`)
  if (existsSync(place)) return join(place, 'bin')
  const begun = performance.now()
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
  console.error(`installed ${name} ${version} in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
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
