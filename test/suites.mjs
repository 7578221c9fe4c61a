import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Which tests run when. A test file belongs to the group that names it, or else to the one that names its nearest folder.
 * A new file is in the group of its folder; a new folder has to be named here (test/suites.test.ts).
 * @type {Readonly<Record<string, { about: string, paths: readonly string[] }>>}
 */
export const GROUPS = {
  core: {
    about: 'needs Node and git: unit tests, the contract on SQLite, the main ways through the CLI',
    paths: [
      'test/actions',
      'test/architecture.test.ts',
      'test/attacks',
      'test/attacks.test.ts',
      'test/bench',
      'test/checks',
      'test/cli',
      'test/coders',
      'test/config',
      'test/contract',
      'test/descriptors.test.ts',
      'test/differential',
      'test/docs/references.test.ts',
      'test/doctor',
      'test/domain',
      'test/e2e',
      'test/home',
      'test/platform',
      'test/ps-exceptions.test.ts',
      'test/queues',
      'test/scripts',
      'test/store',
      'test/stub-agent',
      'test/suites.test.ts',
      'test/supervisor',
      'test/views',
      'test/views-and-actions.test.ts',
      'test/workspace',
    ],
  },
  bd: {
    about: 'the real bd',
    paths: [
      'test/contract/beads.test.ts',
      'test/differential/bd-prints.test.ts',
      'test/differential/flags.test.ts',
      'test/differential/interchange.test.ts',
      'test/e2e/bd-user-script.test.ts',
      'test/e2e/beads/forward.test.ts',
      'test/e2e/beads/people.test.ts',
      'test/e2e/beads/python-fleet.test.ts',
      'test/e2e/beads/run.test.ts',
      'test/queues/beads/faults.test.ts',
    ],
  },
  postgres: {
    about: 'a PostgreSQL server, which the tests start; some of it the real bd too',
    paths: [
      'test/attacks/deadman.test.ts',
      'test/contract/postgres.test.ts',
      'test/e2e/hosts.test.ts',
      'test/e2e/landing/accepted-on-server.test.ts',
      'test/e2e/in-force/hosts.test.ts',
      'test/e2e/many-machines-travel.test.ts',
      'test/e2e/migrate',
      'test/e2e/postgres-starting.test.ts',
      'test/e2e/postgres.test.ts',
      'test/e2e/supervisor-faults/absences.test.ts',
      'test/e2e/supervisor-faults/cut-off.test.ts',
      'test/e2e/supervisor-faults/dead-man.test.ts',
      'test/e2e/supervisor-faults/storm.test.ts',
      'test/e2e/task-news.test.ts',
      'test/queues/contents.test.ts',
      'test/queues/history-of-changes.test.ts',
      'test/queues/molecule.test.ts',
      'test/queues/postgres',
    ],
  },
  pages: { about: 'the pages of the guide: PostgreSQL, jq, script', paths: ['test/docs'] },
  registry: { about: 'the packed package, whose dependency npm installs', paths: ['test/e2e/package.test.ts'] },
  long: {
    about: 'the same needs as the core, but it takes too long for it',
    paths: [
      'test/attacks/evidence.test.ts',
      'test/attacks/fence-letters.test.ts',
      'test/attacks/fence.test.ts',
      'test/attacks/git.test.ts',
      'test/attacks/home.test.ts',
      'test/attacks/landing-hooks.test.ts',
      'test/attacks/landing.test.ts',
      'test/attacks/secrets.test.ts',
      'test/attacks/slots-all.test.ts',
      'test/attacks/slots-commands.test.ts',
      'test/attacks/slots.test.ts',
      'test/attacks/stores.test.ts',
      'test/attacks/worktrees.test.ts',
      'test/contract/broken.test.ts',
      'test/differential/differential.test.ts',
      'test/differential/processes.test.ts',
      'test/e2e/bd-inside-run.test.ts',
      'test/evidence',
      'test/e2e/doctor-restore.test.ts',
      'test/e2e/export-import.test.ts',
      'test/e2e/home-odd-files.test.ts',
      'test/e2e/hostile.test.ts',
      'test/e2e/in-force/limits.test.ts',
      'test/e2e/in-force/sandbox.test.ts',
      'test/e2e/in-force/timeouts.test.ts',
      'test/e2e/interrupted.test.ts',
      'test/e2e/landing',
      'test/e2e/settings.test.ts',
      'test/e2e/supervisor-faults',
      'test/e2e/supervisor/adopted-words.test.ts',
      'test/e2e/supervisor/agent-review.test.ts',
      'test/e2e/supervisor/edited-meanwhile.test.ts',
      'test/e2e/supervisor/continued-work.test.ts',
      'test/e2e/supervisor/evidence.test.ts',
      'test/e2e/supervisor/shared-repository.test.ts',
      'test/e2e/supervisor/worktree-gc.test.ts',
      'test/e2e/supervisor/worktree-kills.test.ts',
      'test/e2e/supervisor/worktree-moved.test.ts',
      'test/e2e/supervisor/worktree-primary.test.ts',
      'test/e2e/supervisor/worktree-setup.test.ts',
      'test/e2e/supervisor/interrupted.test.ts',
      'test/e2e/supervisor/lane-recovery.test.ts',
      'test/e2e/supervisor/lanes-tried-again.test.ts',
      'test/e2e/supervisor/lanes.test.ts',
      'test/e2e/supervisor/looping.test.ts',
      'test/e2e/supervisor/other-coders.test.ts',
      'test/e2e/supervisor/own-coders.test.ts',
      'test/e2e/supervisor/review-terminal.test.ts',
      'test/e2e/supervisor/silence.test.ts',
      'test/e2e/supervisor/sandbox.test.ts',
      'test/e2e/supervisor/tell.test.ts',
      'test/e2e/supervisor/timers.test.ts',
      'test/e2e/verify',
      'test/platform/process/outliving.test.ts',
      'test/queues/sqlite/readiness.test.ts',
      'test/supervisor/run/begin.test.ts',
    ],
  },
  real: { about: 'the real coder CLIs; npm run test:real', paths: ['test/real'] },
}

/**
 * The part of the core, and the package, that runs on every supported Node: the core of each layer, through the built CLI.
 * Of the coders, those whose code is loaded at run time; of the domain, what reads dates, numbers and characters.
 */
const EVERY_NODE = [
  'test/checks',
  'test/coders/added.test.ts',
  'test/coders/user',
  'test/config',
  'test/contract/sqlite.test.ts',
  'test/domain/task',
  'test/domain/text',
  'test/e2e/bd-write.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/init.test.ts',
  'test/e2e/package.test.ts',
  'test/e2e/run-start.test.ts',
  'test/e2e/supervisor/adoption.test.ts',
  'test/e2e/supervisor/worktree.test.ts',
  'test/platform',
  'test/queues/sqlite',
  'test/store',
  'test/stub-agent',
  'test/workspace',
]

/**
 * What `FLEET_TEST_SELECTION` may say, and the files it means. Without it vitest runs all but the real CLIs.
 * @type {Readonly<Record<string, (file: string) => boolean>>}
 */
const SELECTIONS = {
  core: (file) => groupOf(file) === 'core',
  rest: (file) => !['core', 'real'].includes(groupOf(file) ?? ''),
  all: (file) => groupOf(file) !== 'real',
  'every-node': (file) => groupOf(file) !== 'long' && EVERY_NODE.some((path) => isIn(file, path)),
  real: (file) => groupOf(file) === 'real',
}

/**
 * @param {string | undefined} selection
 * @returns {string[]}
 */
export function filesOf(selection = 'all') {
  const belongs = SELECTIONS[selection]
  if (belongs === undefined)
    throw new Error(`no selection of tests is called ${selection}; there are ${Object.keys(SELECTIONS).join(', ')}`)
  return testFiles().filter(belongs)
}

/**
 * Every test file, relative to the repository.
 * @returns {string[]}
 */
export function testFiles() {
  return readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .sort()
}

/**
 * @param {string} file
 * @returns {string | undefined}
 */
export function groupOf(file) {
  const named = Object.entries(GROUPS).flatMap(([group, { paths }]) => paths.map((path) => ({ group, path })))
  return named.filter(({ path }) => isIn(file, path)).sort((a, b) => b.path.length - a.path.length)[0]?.group
}

/** @param {string} file @param {string} path */
function isIn(file, path) {
  return file === path || file.startsWith(`${path}/`)
}
