import { join } from 'node:path'
import { writeFileAtomic } from '../../platform/files/files.ts'
import { privateDirectory } from '../../platform/files/home.ts'
import type { DemoTask } from './tasks.ts'

/** The coder of the demo unless another is named. */
export const SCRIPTED = 'scripted'

/** Its block of runtime.toml: fleet reads it as it reads Claude Code. */
export function scriptedSettings(folder: string): readonly string[] {
  const command = JSON.stringify(['sh', join(folder, 'agent.sh')])
  return [`coders.${SCRIPTED}.command=${command}`, `coders.${SCRIPTED}.format=claude`, `coder=${SCRIPTED}`]
}

export function writeAgent(folder: string): void {
  privateDirectory(folder)
  writeFileAtomic(join(folder, 'agent.sh'), AGENT)
}

/** The part of one task, by its id. */
export function writePart(folder: string, id: string, { script, writes, claimsFirst, asks }: DemoTask): void {
  writeFileAtomic(join(folder, `${id}.sh`), script)
  writeFileAtomic(join(folder, `${id}.writes`), writes)
  if (claimsFirst !== undefined) writeFileAtomic(join(folder, `${id}.claims`), claimsFirst)
  if (asks === undefined) return
  const options = asks.options.map((option) => `--option '${option}'`).join(' ')
  writeFileAtomic(join(folder, `${id}.asks`), `fleet ask '${asks.question}' ${options}\n`)
}

const AGENT = `#!/bin/sh
# The scripted agent of fleet demo. It asks no model: it prints what Claude Code prints, runs the script of its task and
# calls fleet as an agent does. Its tokens are made up.
set -u
cat >/dev/null # the prompt
part=$(dirname "$0")/$FLEET_TASK_ID
said=0

say() { printf '%s\\n' "$1"; }

message() {
  said=$((said + 1))
  say "{\\"type\\":\\"assistant\\",\\"session_id\\":\\"$FLEET_RUN_ID\\",\\"message\\":{\\"id\\":\\"msg_$said\\",\\"model\\":\\"a-script\\",\\"content\\":[$1],\\"usage\\":{\\"input_tokens\\":40,\\"cache_read_input_tokens\\":$((8000 + said * 2000)),\\"output_tokens\\":100}}}"
}

text() { message "{\\"type\\":\\"text\\",\\"text\\":\\"$1\\"}"; }

finish() {
  say "{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\",\\"is_error\\":false,\\"session_id\\":\\"$FLEET_RUN_ID\\",\\"result\\":\\"$1\\",\\"usage\\":{\\"input_tokens\\":$((said * 40)),\\"cache_read_input_tokens\\":$((said * 8000 + said * (said + 1) * 1000)),\\"output_tokens\\":$((said * 100))}}"
  exit 0
}

say "{\\"type\\":\\"system\\",\\"subtype\\":\\"init\\",\\"session_id\\":\\"$FLEET_RUN_ID\\",\\"model\\":\\"a-script\\",\\"apiKeySource\\":\\"none\\"}"

# Once it says that it is done and has done nothing: fleet looks for itself.
if [ -e "$part.claims" ] && [ ! -e "$part.claimed" ]; then
  : >"$part.claimed"
  text 'That is simple.'
  fleet done "$(cat "$part.claims")" >/dev/null
  finish 'Done.'
fi
# Once it asks.
if [ -e "$part.asks" ] && [ ! -e "$part.asked" ]; then
  : >"$part.asked"
  text 'I need an answer first.'
  sh "$part.asks" >/dev/null
  finish 'I asked, and stop here.'
fi

text 'I run the script of this task.'
message "{\\"type\\":\\"tool_use\\",\\"id\\":\\"call_1\\",\\"name\\":\\"Write\\",\\"input\\":{\\"file_path\\":\\"$(cat "$part.writes")\\"}}"
failed=false
out=$(sh "$part.sh" 2>&1) || failed=true
out=$(printf '%s' "$out" | tr -d '"\\\\\\\\' | tr '\\n\\t' '  ')
say "{\\"type\\":\\"user\\",\\"session_id\\":\\"$FLEET_RUN_ID\\",\\"message\\":{\\"content\\":[{\\"type\\":\\"tool_result\\",\\"tool_use_id\\":\\"call_1\\",\\"is_error\\":$failed,\\"content\\":\\"$out\\"}]}}"
[ "$failed" = false ] || exit 1
fleet done "$out" >/dev/null
text 'Done.'
finish 'Done.'
`
