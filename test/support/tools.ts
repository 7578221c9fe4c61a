import { spawnSync } from 'node:child_process'

/** jq, which bd's users and the guides pipe into; where it is missing, what needs it says so and is skipped. */
export const hasJq: boolean = spawnSync('jq', ['--version']).status === 0

if (!hasJq) console.warn('\n*** jq is not installed: the tests that pipe into it are SKIPPED ***\n')

/** script, which gives a command a terminal: the pages show tables as people see them. */
export const hasScript: boolean = spawnSync('script', ['--version']).status === 0

if (!hasScript) console.warn('\n*** script is not installed: the pages that show tables are SKIPPED ***\n')
