/** bd commands that fleet does not serve on local and Postgres queues, each with an alternative. Using one exits 8. */
const GROUPS: readonly { readonly names: string; readonly instead: string }[] = [
  { names: 'unclaim', instead: 'not served yet; use fleet bd update <id> --status open --assignee ""' },
  { names: 'priority', instead: 'not served yet; use fleet bd update <id> --priority <n>' },
  { names: 'tag', instead: 'not served yet; use fleet bd label add <id> <label>' },
  { names: 'link', instead: 'not served yet; use fleet bd dep add <id> <depends-on>' },
  { names: 'todo', instead: 'not served yet; use fleet bd create and fleet bd list' },
  { names: 'swarm', instead: 'not served yet; use fleet bd epic status and fleet bd children <id>' },
  { names: 'onboard', instead: 'not served yet; use fleet bd prime' },
  { names: 'statuses types', instead: 'not served yet; fleet bd create --help and fleet bd update --help name them' },
  { names: 'context info', instead: 'not served yet; use fleet bd where and fleet doctor' },
  { names: 'heartbeat reclaim', instead: 'leases belong to the supervisor here; a claim by a person never expires' },
  { names: 'recompute-blocked', instead: 'not needed: the local queue keeps the flag right in every transaction' },
  { names: 'init bootstrap init-safety setup quickstart hooks', instead: 'use fleet init' },
  { names: 'doctor preflight lint', instead: 'use fleet doctor' },
  { names: 'config', instead: 'use fleet config show and fleet config set' },
  { names: 'backup restore', instead: 'backups are automatic; fleet doctor --restore brings one back' },
  {
    names: 'dolt sync vc branch conflicts federation diff repo migrate-personal ship',
    instead: 'the local queue has no Dolt history; use fleet bd export and fleet bd import, or a beads queue',
  },
  {
    names:
      'compact flatten gc prune purge migrate admin sql upgrade rename-prefix rename worktree events schema serve batch metrics',
    instead: 'not needed on the local queue, or served by a beads queue only',
  },
  {
    names: 'gate merge-slot mol formula cook promote provenance set-state state audit mail human rules',
    instead: 'orchestration beyond a queue; use a beads queue and the real bd',
  },
  {
    names: 'jira linear github gitlab ado notion',
    instead: "integrations are the real bd's; use a beads queue, or export and import",
  },
  {
    names: 'remember recall memories forget kv',
    instead: "memories are the real bd's; fleet keeps knowledge beside each task",
  },
  {
    names: 'create-form edit graph find-duplicates duplicate duplicates supersede orphans completion',
    instead: 'not served; create, update, dep and search do the work step by step',
  },
]

export const NOT_SERVED: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ names, instead }) => names.split(' ').map((name) => [name, instead] as const)),
)
