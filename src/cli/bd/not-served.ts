/**
 * bd commands that fleet does not serve on local and Postgres queues. Each names something that does the job here, or says
 * that nothing does. Using one exits 8.
 */
const GROUPS: readonly { readonly names: string; readonly instead: string }[] = [
  { names: 'todo', instead: 'use fleet bd create and fleet bd list' },
  {
    names: 'swarm',
    instead: 'use fleet bd epic status and fleet bd graph <id>; the supervisor does the work in parallel',
  },
  { names: 'onboard', instead: 'use fleet bd prime' },
  { names: 'context info', instead: 'use fleet bd where and fleet doctor' },
  {
    names: 'heartbeat reclaim',
    instead: "leases belong to the supervisor here; fleet bd unclaim <id> --force gives back a person's claim",
  },
  { names: 'recompute-blocked', instead: 'not needed: the queue keeps the flag right in every transaction' },
  { names: 'init bootstrap init-safety setup quickstart hooks', instead: 'use fleet init' },
  { names: 'doctor preflight', instead: 'use fleet doctor' },
  { names: 'backup restore', instead: 'backups are automatic; fleet doctor --restore brings one back' },
  {
    names: 'dolt sync vc branch conflicts federation',
    instead:
      'there is no Dolt history here; fleet bd export and fleet bd import move tasks, a Postgres queue shares them',
  },
  { names: 'diff', instead: 'fleet bd history <id> shows the changes of a task' },
  { names: 'repo worktree', instead: 'one queue serves every directory: fleet bd create --cwd <dir>' },
  {
    names: 'migrate migrate-personal upgrade schema',
    instead: 'a store is migrated when fleet opens it; fleet queue migrate moves to another queue',
  },
  {
    names: 'compact flatten gc prune purge admin',
    instead: 'fleet bd delete removes tasks; the store needs no other care',
  },
  { names: 'sql', instead: 'fleet bd query and fleet bd export --all answer questions; nothing here runs SQL' },
  { names: 'rename rename-prefix', instead: 'nothing renames the ids that there are, and a queue keeps its prefix' },
  { names: 'batch', instead: 'run the commands one by one, or write JSONL and fleet bd import it' },
  { names: 'events', instead: 'fleet bd history <id> and fleet log tell what happened; nothing here streams it' },
  { names: 'serve', instead: 'every command takes --json; a Postgres queue serves many machines' },
  { names: 'metrics thanks', instead: 'nothing here does that: fleet reports nothing to anybody' },
  { names: 'gate', instead: 'use fleet bd dep add, or fleet bd defer --until; nothing here watches a pull request' },
  { names: 'merge-slot', instead: 'nothing here does that: agents of one checkout share its files' },
  {
    names: 'mol formula cook promote',
    instead: 'use fleet bd create --parent and fleet bd dep add; an issue of type molecule closes with its last step',
  },
  {
    names: 'set-state state',
    instead: 'use fleet bd update --status, and fleet bd config set status.custom for your own',
  },
  { names: 'audit provenance', instead: 'use fleet bd history <id> and fleet show <id>' },
  { names: 'mail', instead: 'use fleet bd comment <id>' },
  { names: 'rules', instead: 'use fleet bd remember' },
  { names: 'ship', instead: 'nothing here does that; fleet bd tag <id> <label> marks a task' },
  {
    names: 'jira linear github gitlab ado notion',
    instead: 'nothing here does that: use a beads queue and the real bd, or fleet bd export and fleet bd import',
  },
  { names: 'create-form', instead: 'use fleet bd create, and fleet bd edit <id> for its texts' },
  { names: 'find-duplicates duplicates', instead: 'use fleet bd search; fleet bd duplicate <id> --of <id> closes one' },
  { names: 'completion', instead: "nothing here completes the words of bd's language" },
]

export const NOT_SERVED: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ names, instead }) => names.split(' ').map((name) => [name, instead] as const)),
)
