import { bundled, FLEET } from './build.mjs'
import { environment } from './measure.mjs'
import { withPostgres } from './postgres.mjs'

const HOMES = 3
const WHOLE = { tasks: 2000, kills: 100, restarts: 15 }
/** For `npm run soak -- --short`. */
const SHORT = { tasks: 200, kills: 10, restarts: 2 }

/**
 * Supervisors that are away for longer than the shortest lease there is: killed, or stopped with SIGSTOP. The short form is
 * a test of its own: test/e2e/supervisor-faults/absences.test.ts.
 */
const AWAY = { tasks: 120, absences: 40 }
const LEASE_S = 10

/** Outcomes that a killed supervisor or a server stopped before its answer may leave. */
const EXPECTED = new Set(['done', 'never-started'])

export const stormPostgres = {
  name: 'storm-postgres',
  about: `${HOMES} supervisors on one server, ${WHOLE.tasks} tasks, SIGKILL of supervisors and restarts of the server, then absences longer than a lease: lost, started twice, at work twice, left behind`,
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
      const away = short ? undefined : await absences({ folder, server })
      const bad = [...lost, ...twice, ...orphans]
      const odd = Object.entries(outcomes).filter(([code]) => !EXPECTED.has(code))
      return {
        figures: {
          storm: `${kills} kills and ${restarts} restarts of the server, all done after ${seconds.toFixed(0)} s`,
          'of the runs': told(outcomes),
          ...(odd.length === 0 ? {} : { 'odd outcomes': odd.map(([code]) => code).join(', ') }),
          ...away?.figures,
          ...(bad.length === 0 ? {} : { 'among them': bad.slice(0, 5).join(', ') }),
        },
        ratio: `${lost.length} lost, ${twice.length} started twice, ${orphans.length} left behind, ${unsettled} unsettled${away?.ratio ?? ''}`,
        bar: '0 of each',
        pass:
          bad.length + unsettled === 0 &&
          (away?.pass ?? true) &&
          kills >= plan.kills / 2 &&
          restarts >= plan.restarts / 2,
      }
    }),
}

async function absences({ folder, server }) {
  const { absences, seconds, outcomes, unsettled, lost, atOnce, again, orphans } = await bundled('server').absenceStorm(
    {
      folder,
      server,
      fleet: FLEET,
      env: environment(),
      homes: HOMES,
      ...AWAY,
      napMs: 24_000,
      leaseS: LEASE_S,
      settings: ['max_concurrent=4'],
    },
  )
  const times = Object.values(absences).reduce((sum, n) => sum + n, 0)
  const bad = [...lost, ...atOnce, ...orphans]
  return {
    figures: {
      [`away for longer than a lease of ${LEASE_S} s`]: `${told(absences)}, all done after ${seconds.toFixed(0)} s`,
      'of their runs': told(outcomes),
      'ended twice, one after the other': `${again.length} tasks`,
      ...(bad.length === 0 ? {} : { 'among those': bad.slice(0, 5).join(', ') }),
    },
    ratio: `; away: ${lost.length} lost, ${atOnce.length} at work twice at once, ${orphans.length} left behind, ${unsettled} unsettled`,
    pass: bad.length + unsettled === 0 && times >= AWAY.absences / 2,
  }
}

function told(counts) {
  return Object.entries(counts)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ')
}
