/** The queue's instructions for an agent. Kept short: every turn pays for them. */

export const BRIEF = `# Tasks are kept in fleet

- Every piece of work is a task of the queue that \`fleet bd\` talks to. Keep no other list of what is to be done.
- Before you start: \`fleet bd ready\`, \`fleet bd show <id>\`, then \`fleet bd update <id> --claim\`.
- What you find on the way becomes a task: \`fleet bd create "<title>" --deps discovered-from:<id>\`.
- When it is done: \`fleet bd close <id> --reason "<what was done>"\`. Whether to commit or push is for the user to say.
- What later sessions should know: \`fleet bd remember "<insight>"\`; \`fleet bd memories <word>\` finds it again.
- Ask the queue for JSON (\`--json\`) where you read its answer with a program.`

export const FULL = `${BRIEF}

## Find
- \`fleet bd ready\`: what can be started, in the order in which it will be claimed
- \`fleet bd list --status open\`, \`fleet bd search <text>\`, \`fleet bd query "label=ui AND priority<=1"\`
- \`fleet bd show <id>\`, \`fleet bd children <id>\`, \`fleet bd comments <id>\`, \`fleet bd history <id>\`
- \`fleet bd blocked\`: what waits, and for what; \`fleet bd stale\`: what was forgotten

## Change
- \`fleet bd create "<title>" -d "<why and what>" -t task|bug|feature -p 0-4\` (0 is the most urgent)
- \`fleet bd create "<title>" --parent <id>\`: a step of a larger task
- \`fleet bd update <id> --title … --description … --priority … --add-label …\`
- \`fleet bd note <id> "<text>"\`, \`fleet bd comment <id> "<text>"\`
- \`fleet bd dep add <id> <depends-on>\`: \`<id>\` waits until \`<depends-on>\` is closed
- \`fleet bd defer <id> --until tomorrow\`, \`fleet bd assign <id> <name>\`, \`fleet bd reopen <id>\`

\`fleet bd <command> --help\` has the rest.`

export const NO_MEMORIES = `# Memories

None is kept yet: \`fleet bd remember "<insight>"\` keeps one.`

export function agentText(task: string): string {
  return `# You are working on ${task} in fleet

- Read it with \`fleet bd show ${task}\`. It is yours while you run: claim, assign and defer nothing.
- When it is done: \`fleet done "<summary>"\`. The supervisor looks at the work itself.
- When you cannot go on without an answer: \`fleet ask "<question>"\`, then stop.
- Other work that you find: \`fleet bd create "<title>"\`. What others should know: \`fleet bd comment <id> "<text>"\`.
- What every later session should know: \`fleet bd remember "<insight>"\`. What the next attempt should know: \`fleet bd note ${task} "<text>"\`.`
}
