import { PS_EXCEPTIONS } from '../support/ps-exceptions.ts'

export function processesReference(): string {
  const rows = PS_EXCEPTIONS.map(({ test, why }) => `| ${test} | ${why} |`)
  return `# Processes

Generated from \`test/docs/processes-reference.ts\` and the table of exceptions (\`test/support/ps-exceptions.ts\`) by \`npm run docs\`; do not edit.

How fleet knows which processes belong to a run, and what it cannot know. [Decision 18](../adr/0018-process-tables-and-families.md) has the reasons.

| the machine has | processes are read | agents are started | what outlives a run |
|---|---|---|---|
| Linux, root, pid namespaces | from \`/proc\` | by the launcher, each in a pid namespace | nothing: the kernel ends all of it |
| Linux with perl (x64, arm64) | from \`/proc\` | by the launcher, each leader a child subreaper | nothing: a process that loses its parent stays below the leader of its run, or the launcher gets it |
| Linux otherwise | from \`/proc\` | by the supervisor | a process without its marker that no look at the table saw |
| macOS, BSD | through \`ps\` | by the supervisor | a process without its marker that no look at the table saw |

Processes of another user (\`sudo\`) cannot be ended by fleet. They hold no slot: \`fleet kill\` and the receipt name them as left running.

**A look** at the process table is made before a run is signalled, when runs have ended, and every five seconds while agents run that no launcher keeps track of. It records every process that descends from a run, or shares its session or process group, in the store; the next supervisor knows it too. A process that was seen once is recognised by its pid and start time, whatever becomes of its parents and its environment.

**A \`ps\` that fails**, prints nothing or hangs makes no agent look dead: fleet says so in its log and asks again, after longer and longer pauses. BusyBox's \`ps\` lacks the columns that are needed; install the package procps.

\`FLEET_PROCESS_TABLE=ps\` makes fleet on Linux read processes through \`ps\`, without launcher and pid namespaces, as on macOS. It is there for tests and diagnosis; \`proc\` is the other value. **The part for macOS was tried only this way**: with the \`ps\` of Linux, and with samples written from the documented output of macOS.

## Where \`ps\` shows less

The process tests pass through \`ps\` (\`npm run test:ps\`) as they do through \`/proc\`, except these:

| this holds with \`/proc\` and the launcher | why not through \`ps\` |
|---|---|
${rows.join('\n')}
`
}
