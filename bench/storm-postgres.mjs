import { bundled, FLEET } from './build.mjs'
import { environment } from './measure.mjs'
import { withPostgres } from './postgres.mjs'

const HOMES = 3
const WHOLE = { tasks: 2000, kills: 100, restarts: 15 }
/** For `npm run soak -- --short`. */
const SHORT = { tasks: 200, kills: 10, restarts: 2 }

/** Supervisors that are away for longer than the shortest lease there is: killed, or stopped with SIGSTOP. */
const AWAY = { tasks: 120, absences: 40 }
const AWAY_SHORT = { tasks: 20, absences: 4 }
const LEASE_S = 10

/** Outcomes that a killed supervisor or a server stopped before its answer may leave. */
const EXPECTED = new Set(['done', 'never-started'])

export const stormPostgres = {
  name: 'storm-postgres',
  about: `${HOMES} supervisors on one server, ${WHOLE.tasks} tasks, SIGKILL of supervisors and restarts of the server, then absences longer than a lease: lost, started twice, at work twice, left behind`,
  run: ({ short = false } = {}) =>
    withPostgres(async (server, { path: folder }) => {
      const plan = short ? SHORT : WHOLE
      const { storm, absenceStorm } = bundled('server')
      const { kills, restarts, seconds, outcomes, unsettled, lost, twice, orphans } = await storm({
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
      const away = await absenceStorm({
        folder,
        server,
        fleet: FLEET,
        env: environment(),
        homes: HOMES,
        ...(short ? AWAY_SHORT : AWAY),
        napMs: 24_000,
        leaseS: LEASE_S,
        settings: ['max_concurrent=4'],
      })
      const absent = Object.values(away.absences).reduce((sum, n) => sum + n, 0)
      const badAway = [...away.lost, ...away.atOnce, ...away.orphans]
      const bad = [...lost, ...twice, ...orphans]
      const odd = Object.entries(outcomes).filter(([code]) => !EXPECTED.has(code))
      return {
        figures: {
          storm: `${kills} kills and ${restarts} restarts of the server, all done after ${seconds.toFixed(0)} s`,
          'of the runs': told(outcomes),
          ...(odd.length === 0 ? {} : { 'odd outcomes': odd.map(([code]) => code).join(', ') }),
          [`away for longer than a lease of ${LEASE_S} s`]: `${told(away.absences)}, all done after ${away.seconds.toFixed(0)} s`,
          'of their runs': told(away.outcomes),
          'ended twice, one after the other': `${away.again.length} tasks`,
          ...(bad.length + badAway.length === 0 ? {} : { 'among them': [...bad, ...badAway].slice(0, 5).join(', ') }),
        },
        ratio: `${lost.length + away.lost.length} lost, ${twice.length} started twice, ${away.atOnce.length} at work twice at once, ${orphans.length + away.orphans.length} left behind, ${unsettled + away.unsettled} unsettled`,
        bar: '0, 0, 0, 0, 0',
        pass:
          bad.length + badAway.length + unsettled + away.unsettled === 0 &&
          absent >= (short ? AWAY_SHORT : AWAY).absences / 2 &&
          kills >= plan.kills / 2 &&
          restarts >= plan.restarts / 2,
      }
    }),
}

function told(counts) {
  return Object.entries(counts)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ')
}
