/**
 * The tests that run a second time with `FLEET_PROCESS_TABLE=ps`: all that find, stop or adopt processes. Tests of words,
 * lanes and coders' streams start processes too, but look at none.
 */
export const PS_LEG = [
  'test/platform/process',
  'test/platform/sqlite/supervisor-lock.test.ts',
  'test/supervisor/ending',
  'test/supervisor/run',
  'test/attacks',
  'test/e2e/supervisor/adopted-words.test.ts',
  'test/e2e/supervisor/adoption.test.ts',
  'test/e2e/supervisor/endings.test.ts',
  'test/e2e/supervisor/hostile-agent.test.ts',
  'test/e2e/supervisor/interrupted.test.ts',
  'test/e2e/supervisor/kill.test.ts',
  'test/e2e/supervisor/launch-record.test.ts',
  'test/e2e/supervisor/own-coders.test.ts',
  'test/e2e/supervisor/pid-namespace.test.ts',
  'test/e2e/supervisor/secrets.test.ts',
  'test/e2e/supervisor/temporary-folder.test.ts',
  'test/e2e/supervisor/timers.test.ts',
  'test/e2e/supervisor-faults/',
  'test/e2e/steering.test.ts',
  'test/e2e/run-',
  'test/e2e/process-table.test.ts',
]
