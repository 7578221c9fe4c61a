import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryFolder } from './cli.ts'

/** A bd that keeps its tasks in one file, for tests of how fleet copes with a failing bd. */
export interface FileBd {
  readonly env: NodeJS.ProcessEnv
  /** Shell code that runs before each call, and may end it. `$verb` is bd's command. */
  first(script: string): void
}

export function fileBd(): FileBd {
  const folder = temporaryFolder()
  const first = (script: string): void =>
    writeFileSync(join(folder, 'bd'), `#!/bin/sh\n${VERB}\n${script}\n${SERVE}`, { mode: 0o755 })
  first('')
  return { env: { PATH: `${folder}${delimiter}${process.env['PATH']}` }, first }
}

const VERB = 'for word; do case "$word" in -*) ;; *) verb=$word; break;; esac; done'
const SERVE = `
case "$verb" in
  version) echo '{"version":"1.3.0"}';;
  init) mkdir -p "$BEADS_DIR" && echo '{}' >"$BEADS_DIR/metadata.json";;
  import) cat >>"$BEADS_DIR/tasks.jsonl";;
  export) cat "$BEADS_DIR/tasks.jsonl";;
esac
`
