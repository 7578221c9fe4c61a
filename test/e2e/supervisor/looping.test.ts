import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import { claims, healthy, init, result, says, testFleet, writes } from '../../support/supervisor.ts'

const call = (command: string, output: string): Step => ({ claude: 'tool', input: { command }, result: output })
const edit = (n: number): Step => ({
  claude: 'tool',
  name: 'Edit',
  input: { file_path: 'a.ts', new_string: `fix ${n}` },
  result: 'changed',
})

test('an agent that goes in circles is stopped with the sequence as evidence, and a new session is told', async () => {
  const fleet = testFleet({ config: ['max_attempts=2'] })
  const looks = Array.from({ length: 8 }, (_, n) => call(`git log -${n}`, 'nothing new'))
  const pause = { sleep: 150 }
  const same = { repeat: 200, do: [call('npm test', '1 failing'), pause] }
  const rotation = { repeat: 50, do: [...looks, pause] }
  const words = { repeat: 200, do: [says('I am waiting for the tests.'), pause] }
  const loops = { same, rotation, words }
  const tasks = Object.entries(loops).map(([name, loop]) => {
    return { name, id: fleet.create(`Loops: ${name}`, [[init, loop, ...healthy('a.txt').slice(1)], healthy('b.txt')]) }
  })
  // How many it made until it was read depends on the machine.
  const made = 'made \\d+ calls in a row that it had made before, with the same results: Bash "'
  const texts: Readonly<Record<string, RegExp>> = {
    same: new RegExp(`^${made}npm test" ×\\d+$`),
    rotation: new RegExp(`^${made}git log -\\d" ×\\d+, .*, 4 more$`),
    words: /^said the same \d+ times: "I am waiting for the tests\."$/,
  }
  await fleet.start()
  for (const { name, id } of tasks) {
    await fleet.settled(id, 'closed')
    const [looping, then] = fleet.runs(id)
    expect(looping?.outcome).toMatchObject({ code: 'looping', text: expect.stringMatching(texts[name] ?? '') })
    expect(looping?.outcome?.sequence).toHaveLength(name === 'words' ? 0 : 16)
    expect(fleet.receipt(id).outcome).toEqual(looping?.outcome)
    expect([then?.outcome?.code, then?.resumes]).toEqual(['done', null])
    expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain('Do not begin with these calls again')
  }
})

test('an agent that repeats itself for a reason is left alone: it fixes between its tests, or tries a flaky command again', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const cycles = Array.from({ length: 40 }, (_, n) => [call('npm test', '1 failing'), edit(n)]).flat()
  const flaky = [{ repeat: 10, do: [call('npm test', 'connection lost'), { sleep: 100 }] }, call('npm test', 'ok')]
  const progress = Array.from({ length: 60 }, (_, n) => call('curl build', `${n} % built`))
  const tasks = [cycles, flaky, progress].map((steps, n) =>
    fleet.create(`Works ${n}`, [init, ...steps, writes('a.txt'), claims(), result()]),
  )
  await fleet.start()
  for (const id of tasks) {
    await fleet.settled(id, 'closed')
    expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['done'])
  }
})
