/**
 * The tests that run a second time with `FLEET_PROCESS_TABLE=ps`: all that find, stop or adopt processes. Tests of words,
 * lanes, stores and coders' streams start processes too, but look at none.
 */
export const PS_LEG = [
  'test/platform/process',
  'test/platform/sqlite/supervisor-lock.test.ts',
  'test/checks/verifier.test.ts',
  'test/supervisor/ending',
  'test/supervisor/run',
  'test/attacks/fence.test.ts',
  'test/attacks/slots-commands.test.ts',
  'test/e2e/supervisor/adoption.test.ts',
  'test/e2e/supervisor/agent-review.test.ts',
  'test/e2e/supervisor/hostile-agent.test.ts',
  'test/e2e/supervisor/kill.test.ts',
  'test/e2e/supervisor/launch-record.test.ts',
  'test/e2e/supervisor/other-coders.test.ts',
  'test/e2e/supervisor/pid-namespace.test.ts',
  'test/e2e/supervisor/secrets.test.ts',
  'test/e2e/supervisor/temporary-folder.test.ts',
  'test/e2e/supervisor/silence.test.ts',
  'test/e2e/supervisor/timers.test.ts',
  'test/e2e/supervisor/worktree-setup.test.ts',
  'test/e2e/supervisor-faults/adoption.test.ts',
  'test/e2e/supervisor-faults/crowd.test.ts',
  'test/e2e/supervisor-faults/dead-man.test.ts',
  'test/e2e/supervisor-faults/escaped.test.ts',
  'test/e2e/supervisor-faults/launcher.test.ts',
  'test/e2e/supervisor-faults/left-behind.test.ts',
  'test/e2e/supervisor-faults/mute-ps.test.ts',
  'test/e2e/supervisor-faults/stopping.test.ts',
  'test/e2e/supervisor-faults/surroundings.test.ts',
  'test/e2e/supervisor-faults/unheard.test.ts',
  'test/e2e/supervisor-faults/unseen-end.test.ts',
  'test/e2e/verify/faults.test.ts',
  'test/e2e/steering.test.ts',
  'test/e2e/run-replaced.test.ts',
  'test/e2e/run-start.test.ts',
  'test/e2e/run-status.test.ts',
  'test/e2e/process-table.test.ts',
]

/**
 * Tests of these files that the leg leaves out, by words of their names: they look at no process, or look as another test of
 * the leg does.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const LEFT_OUT = {
  // What is wrong is a file.
  'test/attacks/slots-commands.test.ts': [
    'between two attempts',
    'reading',
    'damage beyond repair',
    "another task's run",
    "a file of the user's",
  ],
  'test/e2e/supervisor/other-coders.test.ts': [
    'gemini gets a policy file beside its prompt',
    'an overload that gemini retries silently pauses its lane, and the session is kept',
    "gemini's context is read from its chat file, and handed over when it is full",
  ],
  // A clock ends them; the two others of the file show how.
  'test/e2e/supervisor/timers.test.ts': [
    'an agent that never prints anything is stopped; the first time costs no attempt, the second does',
    'an agent that is silent with no tool open has stalled, and its session is resumed once; an open tool may be silent',
  ],
  // What counts is how many stalled, and when.
  'test/e2e/supervisor/silence.test.ts': ['several agents that fall silent together'],
  // Here there is no launcher, every test is one through ps, and to the switch a supervisor that hangs is one that is stopped.
  'test/e2e/supervisor-faults/dead-man.test.ts': [
    'stopped with its launcher',
    'stopped, and its launcher killed',
    'hung in a loop',
    'ends agents of a machine without a launcher, through ps',
    'a queue of one machine has no switch: its agents keep running and are adopted',
  ],
  'test/e2e/supervisor-faults/surroundings.test.ts': [
    'an invalid edit of runtime.toml is reported and the last valid one stays; the next valid edit applies at once',
    'the last valid configuration stays in force while runtime.toml is missing',
    'the time it takes to prepare an agent does not count as silence',
  ],
  // A queue, a store or a memory that fails.
  'test/supervisor/run/begin.test.ts': [
    'a claim that fails once is retried without any other event',
    'a store that is locked while a supervisor starts does not end it',
    '`--once`',
    'a queue that fails for a minute is asked less and less often, and claiming continues by itself',
    'a free slot is filled even if mending lanes failed when it became free',
    'a task that cannot be planned is retried with growing waits, holds up no other task, and is blocked in the end',
    'a task does not wait for the slow coder of another task that was claimed with it',
    'nothing is claimed while memory is short, and claiming continues once there is enough',
  ],
}

/**
 * @param {string} file relative to the repository
 * @param {string} name the test's, after those of the groups it is in
 * @returns {boolean}
 */
export function isLeftOut(file, name) {
  return LEFT_OUT[file]?.some((words) => name.includes(words)) ?? false
}
