import { bundled, FLEET } from './build.mjs'
import { environment } from './measure.mjs'
import { withPostgres } from './postgres.mjs'
import { told } from './storm-postgres.mjs'

const HOMES = 3
const TASKS = 120
const ABSENCES = 40
/** The shortest that there is. */
const LEASE_S = 10

export const absencesPostgres = {
  name: 'absences-postgres',
  about: `${HOMES} supervisors on one server, killed or stopped with SIGSTOP for longer than their leases, ${ABSENCES} times during ${TASKS} tasks: lost, at work twice, left behind`,
  run: () =>
    withPostgres(async (server, { path: folder }) => {
      const { absences, seconds, outcomes, unsettled, lost, atOnce, again, orphans } = await bundled(
        'server',
      ).absenceStorm({
        folder,
        server,
        fleet: FLEET,
        env: environment(),
        homes: HOMES,
        tasks: TASKS,
        absences: ABSENCES,
        napMs: 24_000,
        leaseS: LEASE_S,
        settings: ['max_concurrent=4'],
      })
      const times = Object.values(absences).reduce((sum, n) => sum + n, 0)
      const bad = [...lost, ...atOnce, ...orphans]
      return {
        figures: {
          [`away for longer than ${LEASE_S} s`]: `${told(absences)}, all done after ${seconds.toFixed(0)} s`,
          'of the runs': told(outcomes),
          'ended twice, one after the other': `${again.length} tasks`,
          ...(bad.length === 0 ? {} : { 'among them': bad.slice(0, 5).join(', ') }),
        },
        ratio: `${lost.length} lost, ${atOnce.length} at work twice at once, ${orphans.length} left behind, ${unsettled} unsettled`,
        bar: '0, 0, 0, 0',
        pass: bad.length + unsettled === 0 && times >= ABSENCES / 2,
      }
    }),
}
