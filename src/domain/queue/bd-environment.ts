/**
 * What bd is told by its environment: the home's database and nothing else. Whatever could lead it to another one, change
 * who it believes to act for, or shorten what it prints, is taken away.
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

/** In the environment of every bd that fleet calls: a script of that name that calls `fleet bd` would never end. */
export const CALLED_BY_FLEET = 'FLEET_CALLS_BD'

/** bd asks git for the user's role in a project; a contributor's tasks would go to a database of their own. */
function maintainer(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? '')
  const count = Number.isInteger(given) && given > 0 ? given : 0
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'beads.role',
    [`GIT_CONFIG_VALUE_${count}`]: 'maintainer',
  }
}

/** Where fleet itself is the caller: no actor but the one it names, JSON in the envelope, no questions, no hooks of people. */
export function ownBdEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  beads: string,
): Record<string, string | undefined> {
  const { BD_ACTOR: _1, BEADS_ACTOR: _2, BD_JSON: _3, ...rest } = bdEnvironment(env, beads)
  return { ...rest, BD_JSON_ENVELOPE: '1', BD_NON_INTERACTIVE: '1', NO_COLOR: '1' }
}

const STEERS_BD = /^(BD_|BEADS_|DOLT_)|^(CLAUDE_CODE|CLAUDECODE|GT_ROOT)$/

/** What a person says of themselves or of the form of the answer. */
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
