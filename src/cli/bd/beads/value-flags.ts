import { GLOBAL_FLAGS } from '../global-flags.ts'
import { TEXT_FLAGS } from '../parts/issue-flags.ts'

/** bd flags with a value that fleet's own tables do not list. */
const OF_BD = [
  '--add-label --append-notes --await-id --context --cpu-profile --database --db --deps --event-actor --event-category',
  '--event-payload --event-target --file --graph --id --if-assignee --if-status --label --labels --mem-profile --mol-type',
  '--parent --priority --reason --reason-file --remove-label --repo --session --set-labels --set-metadata --skills --status',
  '--storage-class --title --type --unset-metadata --waits-for --waits-for-gate --wisp-type -f -l -p -r -s -t',
].flatMap((line) => line.split(' '))

/** The argument after one of these is its value, even if it looks like a flag. */
export const VALUE_FLAGS: ReadonlySet<string> = new Set([
  ...OF_BD,
  ...[...GLOBAL_FLAGS, ...TEXT_FLAGS]
    .filter((flag) => flag.kind !== 'switch')
    .flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
])
