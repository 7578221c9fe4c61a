import { spawnSync } from 'node:child_process'

/** jq, which the guides pipe into; without it, the tests that need it are skipped with a message. */
export const hasJq: boolean = spawnSync('jq', ['--version']).status === 0

if (!hasJq) console.warn('\n*** jq is not installed: the tests that pipe into it are SKIPPED ***\n')

/** `script` gives a command a terminal, so that tests and pages show tables as people see them. */
export const hasScript: boolean = spawnSync('script', ['--version']).status === 0

if (!hasScript)
  console.warn('\n*** script is not installed: the tests and pages that need a terminal are SKIPPED ***\n')
