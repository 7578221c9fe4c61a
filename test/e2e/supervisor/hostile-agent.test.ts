import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, healthy, init, result, testFleet, tool } from '../../support/supervisor.ts'

const sh = (script: string) => tool({ run: ['sh', '-c', `cd "$FLEET_TASK_DIR"; ${script}`] })

test("an agent that deletes or replaces the supervisor's files holds up no run, not even its own", async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const precious = join(fleet.home.project, 'precious')
  writeFileSync(precious, 'keep me\n')
  const scripts = {
    'no attempt folder': 'rm -rf attempts',
    'no task folder at all': 'rm -rf "$FLEET_TASK_DIR"',
    'a file in its place': 'rm -rf attempts; echo x >attempts',
    pipes: 'rm -f events.jsonl log.jsonl .failures; mkfifo events.jsonl log.jsonl .failures attempts/1/receipt.json',
    links: `rm -f events.jsonl log.jsonl .failures; for name in events.jsonl log.jsonl .failures attempts/1/receipt.json; do ln -s '${precious}' $name; done`,
    folders: 'rm -f events.jsonl log.jsonl .failures; mkdir events.jsonl log.jsonl .failures attempts/1/receipt.json',
    'a pipe for an inbox': 'rm -rf inbox; mkfifo inbox',
    'a pipe for its output': 'rm -f attempts/1/stdout.jsonl; mkfifo attempts/1/stdout.jsonl',
  }
  const ids = Object.entries(scripts).map(([name, script]) =>
    fleet.create(name, [init, sh(script), claims(), result()]),
  )
  const honest = fleet.create('Honest', healthy('x.txt'), '--priority', '4')
  await fleet.start()
  await fleet.settled(honest, 'closed')
  for (const id of ids) await fleet.settled(id, 'blocked')
  expect(readFileSync(precious, 'utf8')).toBe('keep me\n')
  for (const id of ids) expect(fleet.receipt(id).task).toBe(id)
})

test('a pipe in place of the exit file holds up no run', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const pipe = 'mkfifo "$FLEET_TASK_DIR/attempts/1/exit.json"'
  const [good, bad] = [fleet.create('Good', pipe), fleet.create('Bad', `${pipe}; exit 7`)]
  await fleet.start()
  for (const id of [good, bad]) await fleet.settled(id, 'blocked')
  for (const [id, code] of [[good, 0] as const, [bad, 7] as const]) {
    expect(fleet.receipt(id)).toMatchObject({
      outcome: {
        code: 'evidence-destroyed',
        text: 'evidence of its run was destroyed: attempts/1/exit.json was replaced by a pipe',
      },
      evidence: { exit: { kind: 'code', code } },
      warnings: ['attempts/1/exit.json was replaced by a pipe'],
    })
  }
})

test('a question reaches people even if its file cannot be written', async () => {
  const fleet = testFleet()
  const id = fleet.create('Asks', [init, sh('mkdir "artifacts/Q&A.md"'), tool({ fleet: ['ask', 'Well?'] }), result()])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.ledger.openQuestions().map(({ task, text }) => ({ task, text }))).toEqual([{ task: id, text: 'Well?' }])
})
