/** The tests that run a second time with `FLEET_PROCESS_TABLE=ps`: all that start, find, stop or adopt processes. */
export const PS_LEG = [
  'test/platform/process',
  'test/platform/sqlite/supervisor-lock.test.ts',
  'test/supervisor',
  'test/e2e/supervisor/',
  'test/e2e/supervisor-faults/',
  'test/e2e/steering.test.ts',
  'test/e2e/run-',
  'test/e2e/process-table.test.ts',
]
