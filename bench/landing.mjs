import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FLEET } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { inFolder, median, run } from './measure.mjs'
import { journal, superviseOnce } from './supervisor.mjs'

const BRANCHES = 50
const FILES = 2000
const ROUNDS = 3
const BAR = 1.3

export const landing = {
  name: 'landing',
  about: `${BRANCHES} branches of a repository of ${FILES} files onto its main branch, one by one, each merged tree checked with "true", against the git commands that do it by hand`,
  run: ({ rounds = ROUNDS, short = false } = {}) =>
    inFolder((folder) => {
      const branches = short ? 5 : BRANCHES
      const made = homeOfBranches(folder, branches)
      const results = { bare: [], fleet: [] }
      for (let round = 0; round < rounds; round++) {
        const sides = ['bare', 'fleet']
        for (const side of round % 2 === 0 ? sides : sides.reverse()) {
          restore(made)
          results[side].push((side === 'bare' ? byHand : byFleet)(made))
        }
      }
      const [bare, fleet] = [median(results.bare), median(results.fleet)]
      return {
        figures: {
          'by hand, per branch': `${((bare / branches) * 1000).toFixed(0)} ms`,
          'fleet, per branch': `${((fleet / branches) * 1000).toFixed(0)} ms`,
        },
        ratio: `${(fleet / bare).toFixed(2)}, median of ${rounds} rounds each`,
        bar: `<= ${BAR}`,
        pass: fleet / bare <= BAR,
      }
    }),
}

/** A home whose tasks have done their work and wait to land, and a copy of it and of the repository. */
function homeOfBranches(folder, branches) {
  const [home, repository, kept] = ['home', 'repository', 'kept'].map((name) => join(folder.path, name))
  for (let i = 0; i < FILES; i++) {
    const below = join(repository, `folder-${i % 40}`)
    if (i < 40) mkdirSync(below, { recursive: true })
    writeFileSync(join(below, `file-${i}.txt`), `the text of file ${i}\n`.repeat(20))
  }
  git(repository, 'init', '-q', '-b', 'main')
  git(repository, 'config', 'user.name', 'bench')
  git(repository, 'config', 'user.email', 'bench@localhost')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'First')
  const fleet = (...argv) => run(process.execPath, [FLEET, ...argv], { FLEET_HOME: home })
  fleet('init', '--queue', 'local')
  const settings = ['isolation=worktree', 'coder=shell', 'max_concurrent=4']
  const project = ['land=manual', 'verify=true'].map((each) => `projects.${repository}.${each}`)
  fleet('config', 'set', ...settings, ...project)
  const ids = Array.from({ length: branches }, (_, i) => {
    const script = `echo changed >folder-${i % 40}/file-${i}.txt; git commit -qam 'Change ${i}'`
    return fleet('bd', 'create', `Change ${i}`, '--silent', '--description', script, '--cwd', repository).trim()
  })
  // Its tasks are left blocked, because they wait for a person.
  run('sh', ['-c', '"$0" "$1" run --once || true', process.execPath, FLEET], { FLEET_HOME: home })
  fleet('land', ...ids)
  mkdirSync(kept)
  cpSync(home, join(kept, 'home'), { recursive: true })
  cpSync(repository, join(kept, 'repository'), { recursive: true })
  return { folder, home, repository, kept, ids }
}

function restore({ home, repository, kept }) {
  for (const [path, name] of [
    [home, 'home'],
    [repository, 'repository'],
  ]) {
    run('rm', ['-rf', path])
    cpSync(join(kept, name), path, { recursive: true, preserveTimestamps: true })
  }
  // The times of its files have changed with the copy.
  git(repository, 'status', '--porcelain')
}

function byHand({ folder, repository, ids }) {
  const tree = join(folder.path, 'tree')
  const began = now()
  for (const id of ids) {
    git(repository, 'worktree', 'add', '-q', '--detach', tree, 'main')
    git(tree, 'rebase', '-q', 'main', git(tree, 'rev-parse', `fleet/${id}`))
    run('sh', ['-c', 'true'])
    const commit = git(tree, 'rev-parse', 'HEAD')
    git(repository, 'merge', '-q', '--ff-only', commit)
    git(repository, 'worktree', 'remove', '--force', tree)
  }
  const seconds = elapsed(began) / 1000
  expectAll(repository, ids.length)
  return seconds
}

function byFleet({ home, repository, ids }) {
  superviseOnce(home)
  expectAll(repository, ids.length)
  const lines = journal(home)
  const began = lines.findLast(({ event }) => event === 'supervisor-started').at
  const ended = lines.findLast(({ event }) => event === 'task-landed').at
  return elapsed(began, ended) / 1000
}

function expectAll(repository, branches) {
  const count = Number(git(repository, 'rev-list', '--count', 'main'))
  if (count !== branches + 1) throw new Error(`${count - 1} of ${branches} branches landed`)
}

function git(cwd, ...argv) {
  return run('git', ['-C', cwd, ...argv]).trim()
}
