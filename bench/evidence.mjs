import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './build.mjs'
import { inFolder, median, timed } from './measure.mjs'

const FILES = 100_000
const CHANGED = 10
const ROUNDS = 7
const BAR = 1.2

export const evidence = {
  name: 'evidence',
  about: `what a run changed (${CHANGED} files) in a checkout of ${FILES} files, against one git status there`,
  run: ({ rounds = ROUNDS } = {}) =>
    inFolder(async (folder) => {
      const root = join(folder.path, 'repository')
      makeRepository(root)
      const { lookAtEvidence } = bundled('evidence')
      const figures = { look: [], status: [] }
      for (let round = 0; round <= rounds; round++) {
        const status = timed('git', ['-C', root, 'status', '--porcelain=v2', '-z', '--untracked-files=all'])
        const { ms, files } = await lookAtEvidence(root, Date.now(), () => change(root, round))
        if (files !== CHANGED) throw new Error(`${files} changed files were found, and not ${CHANGED}`)
        // The first is without the caches of the machine.
        if (round === 0) continue
        figures.look.push(ms)
        figures.status.push(status)
      }
      const ratio = median(figures.look) / median(figures.status)
      return {
        figures: {
          'evidence at the end of a run': `${median(figures.look).toFixed(0)} ms`,
          'git status': `${median(figures.status).toFixed(0)} ms`,
        },
        ratio: `${ratio.toFixed(2)} x`,
        bar: `<= ${BAR} x`,
        pass: ratio <= BAR,
      }
    }),
}

function makeRepository(root) {
  for (let i = 0; i < FILES; i++) {
    const folder = join(root, `${Math.floor(i / 1000)}`, `${Math.floor((i % 1000) / 50)}`)
    if (i % 50 === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${i % 50}.txt`), `${i}\n`)
  }
  const as = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
  for (const argv of [
    ['init', '-q'],
    ['add', '.'],
    [...as, 'commit', '-q', '-m', 'all'],
  ]) {
    const { status, stderr } = spawnSync('git', ['-C', root, ...argv], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
}

function change(root, round) {
  for (let i = 0; i < CHANGED; i++) writeFileSync(join(root, `${i}`, '0', '0.txt'), `changed ${round} ${i}\n`)
}
