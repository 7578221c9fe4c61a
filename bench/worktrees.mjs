import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FLEET, worker } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { byTurns, environment, inFolder, median, report, run } from './measure.mjs'

const TASKS = 50
const FILES = 2000
const ROUNDS = 5

export const worktrees = {
  name: 'worktrees',
  about: `worktrees for ${TASKS} tasks of one repository with ${FILES} files, against as many bare git worktree add`,
  run: ({ rounds = ROUNDS } = {}) =>
    inFolder((folder) => {
      const sides = [
        ['bare git', bare],
        ['fleet', ofFleet],
      ]
      const seconds = Object.fromEntries(sides.map(([side]) => [side, []]))
      for (let round = 0; round < rounds; round++) {
        for (const [side, make] of byTurns(sides, round)) {
          const place = join(folder.path, `${side.replaceAll(' ', '-')}-${round}`)
          const repository = repositoryIn(place)
          seconds[side].push(make(place, repository))
          rmSync(place, { recursive: true, force: true })
        }
      }
      const ratio = median(seconds.fleet.map((each, round) => each / seconds['bare git'][round]))
      return {
        figures: Object.fromEntries(
          sides.map(([side]) => [`${side}, median of ${rounds}`, `${median(seconds[side]).toFixed(2)} s`]),
        ),
        ratio: `${ratio.toFixed(2)}, median of the rounds`,
        bar: '<= 1.2',
        pass: ratio <= 1.2,
      }
    }),
}

function git(cwd, ...argv) {
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
  execFileSync('git', [...who, ...argv], { cwd, env: environment(), stdio: ['ignore', 'ignore', 'ignore'] })
}

function repositoryIn(place) {
  const repository = join(place, 'repository')
  mkdirSync(repository, { recursive: true })
  for (let i = 0; i < FILES; i++) {
    const folder = join(repository, `part-${i % 40}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${i}.js`), `// ${i}\n${'export const value = 1\n'.repeat(1 + (i % 160))}`)
  }
  git(repository, 'init', '-q', '-b', 'main')
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'First')
  return repository
}

function bare(place, repository) {
  const began = now()
  for (let i = 0; i < TASKS; i++)
    git(repository, 'worktree', 'add', '-q', '-b', `fleet/b${i}`, join(place, 'worktrees', `b${i}`))
  return elapsed(began) / 1000
}

function ofFleet(place, repository) {
  const home = join(place, 'home')
  run(process.execPath, [FLEET, 'init', '--queue', 'local'], { FLEET_HOME: home })
  return report(worker('worktrees'), [home, repository, String(TASKS)]).seconds
}
