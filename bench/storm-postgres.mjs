import { bundled, FLEET } from './build.mjs'
import { environment } from './measure.mjs'
import { withPostgres } from './postgres.mjs'

const HOMES = 3
const WHOLE = { tasks: 2000, kills: 100, restarts: 15 }
/** For `npm run soak -- --short`. */
const SHORT = { tasks: 200, kills: 10, restarts: 2 }

/** Outcomes that a killed supervisor or a server stopped before its answer may leave. */
const EXPECTED = new Set(['done', 'never-started'])

export const stormPostgres = {
  name: 'storm-postgres',
  about: `${HOMES} supervisors on one server, ${WHOLE.tasks} tasks, SIGKILL of supervisors and restarts of the server: lost, started twice, left behind`,
  run: ({ short = false } = {}) =>
    withPostgres(async (server, { path: folder }) => {
      const plan = short ? SHORT : WHOLE
      const { kills, restarts, seconds, outcomes, unsettled, lost, twice, orphans } = await bundled('server').storm({
        folder,
        server,
        fleet: FLEET,
        env: environment(),
        homes: HOMES,
        ...plan,
        napMs: 400,
        longestLifeMs: 2500,
        settings: ['max_concurrent=10'],
      })
      const bad = [...lost, ...twice, ...orphans]
      const odd = Object.entries(outcomes).filter(([code]) => !EXPECTED.has(code))
      return {
        figures: {
          storm: `${kills} kills and ${restarts} restarts of the server, all done after ${seconds.toFixed(0)} s`,
          'of the runs': told(outcomes),
          ...(odd.length === 0 ? {} : { 'odd outcomes': odd.map(([code]) => code).join(', ') }),
          ...(bad.length === 0 ? {} : { 'among them': bad.slice(0, 5).join(', ') }),
        },
        ratio: `${lost.length} lost, ${twice.length} started twice, ${orphans.length} left behind, ${unsettled} unsettled`,
        bar: '0, 0, 0, 0',
        pass: bad.length + unsettled === 0 && kills >= plan.kills / 2 && restarts >= plan.restarts / 2,
      }
    }),
}

/**
 * @param {Readonly<Record<string, number>>} counts
 * @returns {string}
 */
export function told(counts) {
  return Object.entries(counts)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ')
}
