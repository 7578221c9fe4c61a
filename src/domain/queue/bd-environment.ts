/**
 * The environment for bd: it names the home's database. Variables that could point bd to another database, change its
 * actor or shorten its output are removed.
 */
export function bdEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  beads: string,
): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !STEERS_BD.test(name) || KEPT.has(name))
  return {
    ...Object.fromEntries(kept),
    ...maintainer(env),
    BEADS_DIR: beads,
    BD_DISABLE_METRICS: '1',
    [CALLED_BY_FLEET]: '1',
  }
}

/** Set for every bd that fleet calls. Without it, a script named bd that calls `fleet bd` would recurse forever. */
export const CALLED_BY_FLEET = 'FLEET_CALLS_BD'

/** bd asks git for the user's role in a project, and puts a contributor's tasks into a separate database. */
function maintainer(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? '')
  const count = Number.isInteger(given) && given > 0 ? given : 0
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'beads.role',
    [`GIT_CONFIG_VALUE_${count}`]: 'maintainer',
  }
}

/** For bd calls that fleet makes itself: fleet passes the actor, bd answers in its JSON envelope and never prompts. */
export function ownBdEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  beads: string,
): Record<string, string | undefined> {
  const { BD_ACTOR: _1, BEADS_ACTOR: _2, BD_JSON: _3, ...rest } = bdEnvironment(env, beads)
  return { ...rest, BD_JSON_ENVELOPE: '1', BD_NON_INTERACTIVE: '1', NO_COLOR: '1' }
}

const STEERS_BD = /^(BD_|BEADS_|DOLT_)|^(CLAUDE_CODE|CLAUDECODE|GT_ROOT)$/

/** Variables by which people name themselves, log in or choose the output format. */
const KEPT = new Set([
  'BD_ACTOR',
  'BEADS_ACTOR',
  'BD_JSON',
  'BD_JSON_ENVELOPE',
  'BD_NON_INTERACTIVE',
  'BD_NO_PAGER',
  'BD_PAGER',
  'BEADS_DOLT_PASSWORD',
  'BEADS_CREDENTIALS_FILE',
])
