import { coderNames, SCRIPT_CODER } from '../../../coders/registry.ts'
import { ASKED } from '../../../domain/evidence/asked.ts'
import { ISOLATIONS } from '../../../domain/run/isolation.ts'
import { SANDBOX_MODES } from '../../../domain/sandbox/sandbox.ts'
import type { Flag } from '../../flags.ts'

/** Flags that create and update share, with bd's help texts. */
export const TEXT_FLAGS: readonly Flag[] = [
  { name: 'assignee', short: 'a', kind: 'text', help: 'Assignee' },
  { name: 'description', short: 'd', kind: 'text', help: 'Issue description (- reads stdin)' },
  { name: 'body', kind: 'text', help: 'Alias for --description', hidden: true },
  { name: 'message', short: 'm', kind: 'text', help: 'Alias for --description', hidden: true },
  { name: 'body-file', kind: 'text', help: 'Read description from file (use - for stdin)', value: 'file' },
  { name: 'description-file', kind: 'text', help: 'Alias for --body-file', hidden: true },
  { name: 'stdin', kind: 'switch', help: 'Read description from stdin (alias for --body-file -)' },
  { name: 'allow-empty-description', kind: 'switch', help: 'Allow empty description input from stdin or file' },
  { name: 'design', kind: 'text', help: 'Design notes' },
  { name: 'design-file', kind: 'text', help: 'Read design from file (use - for stdin)', value: 'file' },
  { name: 'acceptance', kind: 'text', help: 'Acceptance criteria' },
  { name: 'notes', kind: 'text', help: 'Additional notes' },
  { name: 'append-notes', kind: 'text', help: 'Append to existing notes (with newline separator)' },
  { name: 'external-ref', kind: 'text', help: "External reference (e.g., 'gh-9', 'jira-ABC', a URL)" },
  { name: 'spec-id', kind: 'text', help: 'Link to specification document' },
  { name: 'estimate', short: 'e', kind: 'number', help: 'Time estimate in minutes (e.g., 60 for 1 hour)' },
  { name: 'due', kind: 'text', help: 'Due date/time: +6h, +1d, +2w, tomorrow, next monday, 2025-01-15' },
  { name: 'defer', kind: 'text', help: 'Hide from ready until then; same formats as --due' },
  { name: 'metadata', kind: 'text', help: 'Custom metadata (JSON object, or @file.json to read from file)' },
]

/** Mutually exclusive pairs. */
export const TEXT_EXCLUSIVE: readonly (readonly string[])[] = [
  ['design', 'design-file'],
  ['stdin', 'body'],
  ['stdin', 'body-file'],
  ['stdin', 'description'],
  ['stdin', 'description-file'],
  ['stdin', 'message'],
]

/** fleet's own settings: where a task runs, and which coder runs it. */
export const SETTINGS_FLAGS: readonly Flag[] = [
  { name: 'cwd', kind: 'text', value: 'dir', help: 'Directory the task runs in (default: where you stand)' },
  { name: 'coder', kind: 'text', help: `Coder that does this task (${coderNames().join(', ')})` },
  { name: 'model', kind: 'text', help: 'Model the coder uses for this task' },
  {
    name: 'command',
    kind: 'text',
    value: 'script',
    help: `Script of this task, for --coder ${SCRIPT_CODER} (default: the description)`,
  },
  { name: 'on', kind: 'text', value: 'machine', help: 'Name or label of the machine this task runs on (default: any)' },
  {
    name: 'isolation',
    kind: 'text',
    value: 'mode',
    help: `Where its agent works: in its directory or its own worktree (${ISOLATIONS.join(', ')})`,
  },
  {
    name: 'target',
    kind: 'text',
    value: 'branch',
    help: 'Branch that its work is for (default: the one checked out now)',
  },
  {
    name: 'verify',
    kind: 'text',
    value: 'command',
    help: "Command that the work must pass before the task is closed (default: the project's)",
  },
  {
    name: 'close-at',
    kind: 'text',
    value: 'level',
    help: 'Level at which the task is closed: claimed, evidenced, verified or reviewed (default: close_at)',
  },
  {
    name: 'evidence',
    kind: 'text',
    value: 'place',
    help: `Where its work will be: ${ASKED} (default: changes in its directory)`,
  },
  {
    name: 'sandbox',
    kind: 'text',
    value: 'mode',
    help: `Whether the system confines its agent: ${SANDBOX_MODES.join(', ')} (default: sandbox)`,
  },
  {
    name: 'lock',
    kind: 'many',
    value: 'name',
    help: 'Something that only one running task may use at a time; may be given again',
  },
  {
    name: 'scope',
    kind: 'many',
    value: 'pattern',
    help: "Paths that it may write, from the top of the repository, such as 'src/a/**' (repeatable; default: the project's)",
  },
  {
    name: 'read-only',
    kind: 'text',
    bare: 'true',
    value: 'true|false',
    help: 'It changes nothing of the project: a change blocks it as out-of-scope',
  },
]

const NO_DOLT = 'the local queue has no Dolt history to leave a task out of; every change is recorded'
const NO_GATES = 'gates, molecules and wisps need a beads queue'

/** Flags of bd's storage and workflows that fleet refuses, each with an alternative. */
export const REFUSED: Readonly<Record<string, string>> = {
  'no-history': NO_DOLT,
  history: NO_DOLT,
  'storage-class': 'use --ephemeral for a short-lived task',
  'mol-type': NO_GATES,
  'wisp-type': NO_GATES,
  'await-id': NO_GATES,
  'event-category': NO_GATES,
  'event-actor': NO_GATES,
  'event-target': NO_GATES,
  'event-payload': NO_GATES,
}
