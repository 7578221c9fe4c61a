import {
  type Fate,
  HAND_OVERS,
  INTERRUPTS,
  type OutcomeCode,
  RULES,
  type Rule,
  STALLS,
} from '../../src/domain/run/outcome.ts'

/** A new outcome without a line here does not compile. */
const MEANINGS: Record<OutcomeCode, string> = {
  done: 'said that it is done, and the evidence is there',
  error: 'the coder or the script failed',
  lost: 'the process went without telling how: killed from outside, no result',
  interrupted: 'something outside fleet interrupted it, as Ctrl-C does',
  'no-claim': 'ended without saying that it is done',
  'no-evidence': 'said that it is done, and nothing shows it',
  'evidence-destroyed': 'locked, removed or replaced what fleet records of its run, such as `launch.json`',
  'unusable-folder': 'the folder of the task is damaged, and fleet cannot repair it',
  denied: "the coder's permissions denied calls, and without them it fell short of its claim or evidence",
  'verify-failed': 'the verify command did not pass',
  'review-rejected':
    'another coder (`review_by`) sent the work back with its reasons; when a person sends it back, nothing is counted, and the task has a fresh set of attempts',
  'no-progress': 'twice in a row short of its claim or evidence, with no new file, diff or commit',
  stalled: `silent for too long, while its processes and files rest; the ${STALLS}rd time in a row blocked, whatever \`max_attempts\` is`,
  looping: 'made the same calls with the same results again and again, or said the same, and nothing new',
  'wall-clock': 'ran for longer than an attempt may',
  'out-of-memory': 'its processes used more memory than `limits.memory`',
  'no-session': 'the session to resume is gone',
  'context-full': 'its context was nearly full',
  question: 'asked a person',
  'usage-limit': 'the account has reached a limit',
  overload: 'the provider is overloaded',
  network: 'the provider could not be reached',
  'provider-silent':
    'several agents of its lane fell silent within two minutes, or the one that was to try the lane again',
  login: 'the coder is not logged in',
  billing: 'the account cannot pay',
  'bad-model': 'the coder does not know the model',
  'bad-flag': 'the coder does not know how it was called',
  'missing-binary': 'the coder is not installed, or fleet cannot run it yet',
  'broken-binary': 'the coder is installed, and the machine cannot run it',
  budget: 'spent what it may spend',
  killed: '`fleet kill`',
  told: "a person's message (`fleet tell`) came that it had not read when it ended, or `fleet tell --now` interrupted it",
  paused: '`fleet pause <id>`',
  'needs-review': 'done and evidenced, and closing asks for more',
  'out-of-scope':
    'changed what its scope does not cover, or anything although it is read-only; `fleet approve` lets the same work through, `fleet retry` sends it back',
  'needs-landing': 'done, and its work has yet to reach its target branch',
  conflict: 'its work conflicts with what is on its target branch by now',
  'missing-cwd': 'its directory is not there',
  'no-worktree': 'it is to run in a worktree, and none can be made of its directory',
  'setup-failed': '`setup` of its project failed in its worktree, so no agent was started',
  'bad-settings': 'its settings cannot be used',
  stopped: 'the supervisor was stopped',
  'cut-off':
    'the queue that others share was out of reach, or the supervisor dead, stopped or hung, for nearly as long as `timeouts.lease`',
  'machine-lost': 'the machine was started anew',
  'never-started': 'the supervisor ended before the agent was started',
  'taken-away':
    'a person closed, reopened, reassigned or deleted the task; or its lease ran out, and another machine has it',
}

const THEN: Record<Fate, string> = {
  close: 'closed; its dependents are free',
  retry: 'again after 5 s, 30 s, 2 min …; at `max_attempts` blocked with the reason',
  'go-on': `again after 5 s; the ${INTERRUPTS}rd time in a row blocked`,
  'hand-over': `a fresh attempt from the artifacts, at most ${HAND_OVERS} times`,
  park: 'blocked until it is answered; the slot is free',
  wait: 'its lane pauses, the task waits',
  'lane-down': 'its lane is down with one alert, the task waits; other lanes go on',
  block: 'blocked until a person decides',
  land: 'blocked until its work is on that branch, then closed; with `land = manual` a person says when',
  'refuse-model': 'blocked; the model is not tried again on its lane before something changes, all other work goes on',
  bounce: 'open again for its agent; after five times blocked',
  open: 'open again, as if nothing had been',
  nothing: 'nothing is written to the task',
}

const COUNTED: Record<Rule['counted'], string> = { yes: 'yes', no: 'no', repeated: 'from the second on' }
const RESUMED: Record<Rule['resume'], string> = { yes: 'yes', no: 'no', 'first-time': 'the first time' }

export function outcomesReference(): string {
  const rows = Object.entries(RULES).map(([code, { counted, fate, resume }]) => {
    const meaning = MEANINGS[code as OutcomeCode]
    const resumed = fate === 'close' || fate === 'nothing' ? '' : RESUMED[resume]
    return `| \`${code}\` | ${meaning} | ${COUNTED[counted]} | ${THEN[fate]} | ${resumed} |`
  })
  return `# Outcomes

Generated from the table that decides (\`src/domain/run/outcome.ts\`) by \`npm run docs\`; do not edit.

Why an attempt ended, whether it counts towards \`max_attempts\`, what becomes of its task, and whether the next attempt goes on with the same session where the coder can.

| outcome | the attempt | counted | then | session goes on |
|---|---|---|---|---|
${rows.join('\n')}

\`budget\` does not occur yet: budgets are to come.
`
}
