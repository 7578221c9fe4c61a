import { spawnSync } from 'node:child_process'

/** jq, which bd's users and the guides pipe into; where it is missing, what needs it says so and is skipped. */
export const hasJq: boolean = spawnSync('jq', ['--version']).status === 0

if (!hasJq) console.warn('\n*** jq is not installed: the tests that pipe into it are SKIPPED ***\n')
