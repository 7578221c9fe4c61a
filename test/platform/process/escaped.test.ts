import { describe, expect, test } from 'vitest'
import { processEntry, processTable } from '../../../src/platform/process/process-table.ts'
import { findProgram } from '../../../src/platform/process/program.ts'
import { eventually, launcher, startScript, type TestRun } from '../../support/agents.ts'
import { isExcepted } from '../../support/ps-exceptions.ts'

const hasPerl = findProgram('perl', process.env) !== undefined
if (!hasPerl) console.warn('\n*** no perl here: a process that has another title is SKIPPED ***\n')

/** Variables that are larger together than one read of /proc, and alone as large as a variable may be. */
const LARGE = Array.from({ length: 12 }, (_, n) => `A${n}="$x"`).join(' ')

/** Ways for a process to get away from its run: each script writes the pid of such a process to `escaped`. */
const ESCAPES = {
  'without its environment, in a session of its own': "env -i setsid sh -c 'echo $$ >escaped; exec sleep 600' &",
  'with the marker of another run': "FLEET_RUN_ID=other setsid sh -c 'echo $$ >escaped; exec sleep 600' &",
  'with an environment of more than a megabyte': `x=$(printf %0100000d 0); setsid env -i ${LARGE} FLEET_RUN_ID="$FLEET_RUN_ID" sh -c '
    echo $$ >escaped; exec sleep 600' &`,
  // Only perl writes its title over its environment.
  ...(hasPerl && {
    'with another title': `setsid perl -e '$0 = "x" x 20000; open F, ">", "escaped"; print F $$; close F; sleep 600' &`,
  }),
  'after a double fork': '(env -i setsid sh -c \'env -i setsid sh -c "echo \\$\\$ >escaped; exec sleep 600" &\' &);',
}

async function escaped(run: TestRun): Promise<number> {
  await eventually(() => run.exists('escaped') && Number(run.text('escaped')) > 0, 'it has escaped')
  const pid = Number(run.text('escaped'))
  await eventually(() => processEntry(pid)?.session === pid, 'it has a session of its own')
  return pid
}

/** Ends all that a sweep shows of the run, or of ended runs, as the supervisor does. */
async function endAll({ agents, run }: TestRun, pid: number): Promise<void> {
  await eventually(() => {
    const found = agents.sweep(0)
    for (const each of [...(found.get(run) ?? []), ...(found.get('') ?? [])]) agents.kill(each)
    return processEntry(pid)?.alive !== true
  }, 'it was found and ended')
}

describe.skipIf(launcher === undefined)('by the launcher', () => {
  test.each(Object.entries(ESCAPES))('a process %s is found while its run lives', async (_how, script) => {
    const run = await startScript(`${script} exec sleep 600`, { launcher })
    const pid = await escaped(run)
    expect(
      run.agents
        .sweep(0)
        .get(run.run)
        ?.map((each) => each.pid),
    ).toContain(pid)
    run.agents.signal(run, 'SIGKILL')
    await endAll(run, pid)
  })

  test('a process that is replaced by its child every few milliseconds is ended at once, whatever the machine does', async () => {
    const flee = 'echo >>hops; sleep 0.01\\nenv -i setsid sh ./flee &\\n'
    const fleeing = `printf '${flee}' >flee; env -i setsid sh ./flee & until [ -s hops ]; do sleep 0.01; done`
    const run = await startScript(fleeing, { launcher })
    await run.ended
    await eventually(() => {
      run.agents.endOrphans()
      return run.agents.sweep(0).get('') === undefined
    }, 'it was ended')
  })

  test('an agent whose wrapper was killed is not taken for what ended runs left, before the launcher has told of it', async () => {
    const run = await startScript('echo $$ >begun; exec sleep 600', { launcher })
    await eventually(() => run.exists('begun') && run.text('begun').endsWith('\n'), 'the agent is at work')
    const pid = Number(run.text('begun'))
    process.kill(run.proc.pid, 'SIGKILL')
    const until = performance.now() + 5000
    // Without a turn of the event loop, in which the launcher's message could be read.
    while (processEntry(pid)?.parent !== launcher?.pid) {
      if (processEntry(pid)?.alive !== true) throw new Error('the agent has ended')
      if (performance.now() > until) throw new Error('the launcher did not get the agent')
    }
    run.agents.endOrphans()
    expect(processEntry(pid)?.alive).toBe(true)
    const found = run.agents.sweep(0)
    expect(found.get('')).toBeUndefined()
    expect(found.get(run.run)?.map((each) => each.pid)).toEqual([pid])
    process.kill(pid, 'SIGKILL')
  })

  test.each(Object.entries(ESCAPES))(
    'a process %s is found after its run has ended by itself',
    async (_how, script) => {
      const run = await startScript(`${script} until [ -s escaped ]; do sleep 0.02; done`, { launcher })
      await run.ended
      expect(run.agents.leftNothing(run)).toBe(false)
      await endAll(run, await escaped(run))
    },
  )
})

test.each(Object.entries(ESCAPES))(
  'without a launcher, a process %s is found if a look saw its run',
  async (how, script) => {
    const run = await startScript(`${script} exec sleep 600`)
    const pid = await escaped(run)
    // Its parents have gone, and nothing shows where it came from.
    if (how === 'after a double fork') {
      const found = run.agents.sweep(0).get(run.run) ?? []
      process.kill(pid, 'SIGKILL')
      return expect(found.map((each) => each.pid)).not.toContain(pid)
    }
    run.agents.observe([run])
    run.agents.signal(run, 'SIGKILL')
    await run.ended
    await endAll(run, pid)
  },
)

test('the next supervisor recognises them by what the last one recorded', async () => {
  const { localAgents } = await import('../../../src/platform/process/agents.ts')
  const run = await startScript("env -i setsid sh -c 'echo $$ >escaped; exec sleep 600' & exec sleep 600")
  const pid = await escaped(run)
  const family = run.agents.observe([run]).get(run.run)
  expect(family).toContain(`${pid} `)
  run.agents.signal(run, 'SIGKILL')
  await run.ended
  const next = localAgents()
  const seen = () => JSON.stringify(next.look({ ...run, family }))
  await eventually(() => seen() === JSON.stringify({ kind: 'alive', proc: null, pids: [pid] }), 'it is recognised')
  expect(localAgents().look(run).kind).toBe('gone')
  await endAll({ ...run, agents: next }, pid)
})

test('a value that contains the text of a marker is no marker', async () => {
  const run = await startScript('env -u FLEET_RUN_ID OTHER="FLEET_RUN_ID=other-run" setsid sleep 600 & exec sleep 600')
  const others = () => run.agents.sweep(0).get(run.run)?.length ?? 0
  await eventually(() => others() >= 2, 'it runs')
  expect(run.agents.sweep(0).get('other-run')).toBeUndefined()
})

test.skipIf(isExcepted('a marker behind a space in a value is no marker'))(
  'a marker behind a space in a value is no marker',
  async () => {
    const run = await startScript('OTHER="x FLEET_RUN_ID=other-run" setsid sleep 600 & exec sleep 600')
    await eventually(() => (run.agents.sweep(0).get(run.run)?.length ?? 0) >= 3, 'it runs')
    expect(run.agents.sweep(0).get('other-run')).toBeUndefined()
  },
)

test('an agent whose environment cannot be read is found by its wrapper', async () => {
  const run = await startScript('exec sleep 600')
  await eventually(() => run.exists('exit.json.pid') && run.text('exit.json.pid') !== '', 'the wrapper has begun')
  const hidden = { ...run, run: 'a run whose marker nothing shows', proc: null }
  expect(run.agents.look(hidden)).toMatchObject({ kind: 'alive', proc: run.proc })
  expect(processTable().marker(run.proc.pid)).toBe(run.run)
})
