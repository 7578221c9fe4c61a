import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { scratchBase } from '../../../scripts/scratch.mjs'
import type { Claim } from '../../../src/ports/queue.ts'
import { Bd } from '../../../src/queues/beads/bd.ts'
import { BeadsQueue } from '../../../src/queues/beads/queue.ts'
import { openStore } from '../../../src/queues/sqlite/open.ts'
import { bd, freshBeads, realBd, withRealBd } from '../../support/real-bd.ts'

const MINUTE = 60_000
const TIMEOUTS = { readMs: 20_000, writeMs: 20_000, graceMs: 500 }

/**
 * A real bd behind a faulty wrapper script. `fault` is the body of a shell function that gets bd's arguments and succeeds
 * if it handled the call itself. It runs for every call until `heal`.
 */
function faulty({ timeouts = TIMEOUTS } = {}) {
  const folder = mkdtempSync(join(scratchBase(), 'fleet-faulty-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const beads = join(folder, '.beads')
  freshBeads(beads)
  const script = join(folder, 'bd')
  const behave = (fault: string): void => {
    writeFileSync(
      script,
      `#!/bin/sh\nBD=${realBd}\nstate=${folder}/state\nfault() {\n${fault}\n}\nfault "$@" && exit "\${code:-0}"\nexec $BD "$@"\n`,
    )
    chmodSync(script, 0o755)
  }
  behave('false')
  const env = { ...withRealBd(), PATH: `${folder}:${process.env['PATH']}` }
  const again = (): BeadsQueue => {
    const db = openStore({ path: join(folder, 'fleet.db'), create: true })
    const queue = new BeadsQueue(db, { bd: new Bd({ beads, env, timeouts }), beads, clock: { now: Date.now } })
    onTestFinished(() => queue[Symbol.asyncDispose]())
    return queue
  }
  const queue = again()
  const happened = (): boolean => existsSync(join(folder, 'state'))
  return { queue, beads, behave, heal: () => behave('false'), remove: () => rmSync(script), again, happened }
}

const claimOne = async (queue: BeadsQueue): Promise<Claim> => {
  const [claim] = await queue.claim({ limit: 1, by: 'fleet@here', leaseMs: MINUTE })
  if (claim === undefined) throw new Error('nothing was handed out')
  return claim
}

const shown = (beads: string, id: string): Record<string, unknown> =>
  JSON.parse(bd(beads, ['show', id, '--json']))[0] as Record<string, unknown>

/** Swallows the first call that contains this word and answers as if it had succeeded. */
const swallow = (word: string, answer: string): string => `
  case "$*" in *${word}*) ;; *) return 1 ;; esac
  [ -e $state ] && return 1
  touch $state
  cat >/dev/null
  echo '${answer}'`

describe.skipIf(realBd === '')('a beads queue', { timeout: 240_000 }, () => {
  test('resends a close that bd lost', async () => {
    const { queue, beads, behave } = faulty()
    await queue.create({ title: 'work' }, 'maker')
    const claim = await claimOne(queue)
    behave(swallow('batch', '{"data":{"status":"ok"},"schema_version":1}'))
    expect(await queue.settle(claim, { to: 'closed', reason: 'done' })).toBe(true)
    expect(shown(beads, claim.id)).toMatchObject({ status: 'in_progress' })
    // Any foreign write makes the next read sync.
    bd(beads, ['create', 'another', '--json'])
    expect(await queue.get(claim.id)).toMatchObject({ status: 'closed', close_reason: 'done' })
    expect(shown(beads, claim.id)).toMatchObject({ status: 'closed', close_reason: 'done' })
  })

  test('does not return a claim that bd lost, and claims the task again', async () => {
    const { queue, beads, behave } = faulty()
    const { id } = await queue.create({ title: 'work' }, 'maker')
    const answer = JSON.stringify({ data: [{ id, status: 'in_progress', assignee: 'fleet@here' }], schema_version: 1 })
    behave(swallow('--claim', answer))
    expect(await claimOne(queue)).toMatchObject({ id, by: 'fleet@here' })
    expect(shown(beads, id)).toMatchObject({ status: 'in_progress', assignee: 'fleet@here' })
  })

  test('does not return a claim that bd granted to somebody else as well', async () => {
    const { queue, beads, behave } = faulty()
    const { id } = await queue.create({ title: 'work' }, 'maker')
    const answer = JSON.stringify({ data: [{ id, status: 'in_progress', assignee: 'fleet@here' }], schema_version: 1 })
    behave(`
  case "$*" in *--claim*) ;; *) return 1 ;; esac
  $BD update ${id} --claim --actor rival >/dev/null
  echo '${answer}'`)
    expect(await queue.claim({ limit: 1, by: 'fleet@here', leaseMs: MINUTE })).toEqual([])
    expect(await queue.get(id)).toMatchObject({ status: 'in_progress', assignee: 'rival' })
    expect(shown(beads, id)).toMatchObject({ assignee: 'rival' })
  })

  test('claims a task that bd wrongly believes blocked after two blockers closed at once', async () => {
    const { queue, beads, behave } = faulty()
    const { id } = await queue.create({ title: 'after both' }, 'maker')
    // Refused until bd has recomputed its dependencies.
    behave(`
  case "$*" in
    *recompute-blocked*) touch $state; return 1 ;;
    *--claim*) [ -e $state ] && return 1; echo "Error claiming ${id}: issue is blocked" >&2; code=1 ;;
    *) return 1 ;;
  esac`)
    expect(await claimOne(queue)).toMatchObject({ id })
    expect(shown(beads, id)).toMatchObject({ status: 'in_progress', assignee: 'fleet@here' })
  })

  test('an unreachable bd is an error, not an empty queue', async () => {
    const { queue, beads, behave, heal } = faulty()
    const { id } = await queue.create({ title: 'work' }, 'maker')
    behave('echo "Error: the database is damaged" >&2; code=1')
    const down = { code: 'queue', message: expect.stringContaining('the database is damaged') }
    await expect(queue.claim({ limit: 1, by: 'fleet@here', leaseMs: MINUTE })).rejects.toMatchObject(down)
    bd(beads, ['create', 'another', '--json'])
    await expect(queue.ready({ limit: 10 })).rejects.toMatchObject(down)
    heal()
    expect((await queue.ready({ limit: 10 })).map((task) => task.id)).toContain(id)
    expect(await claimOne(queue)).toMatchObject({ id })
  })

  test('a verdict survives while bd is missing, and is sent when bd is back', async () => {
    const { queue, beads, remove, heal } = faulty()
    await queue.create({ title: 'work' }, 'maker')
    const claim = await claimOne(queue)
    remove()
    expect(await queue.settle(claim, { to: 'closed', reason: 'done' })).toBe(true)
    expect(shown(beads, claim.id)).toMatchObject({ status: 'in_progress' })
    await expect(queue.ready({ limit: 1 })).rejects.toMatchObject({ code: 'queue' })
    heal()
    expect(await queue.ready({ limit: 1 })).toEqual([])
    expect(shown(beads, claim.id)).toMatchObject({ status: 'closed', close_reason: 'done' })
  })

  test('a bd that hangs is stopped and reported', async () => {
    const { queue, behave } = faulty({ timeouts: { readMs: 1000, writeMs: 1000, graceMs: 200 } })
    behave(`case "$*" in *version*) return 1 ;; esac
  trap '' TERM
  sleep 600 &
  wait`)
    await expect(queue.ready({ limit: 1 })).rejects.toMatchObject({
      code: 'queue',
      message: 'bd export did not end within 1 s',
    })
  })

  test("renews bd's own lease of a claim, also of a claim from before a restart", async () => {
    const { queue, beads, behave, again, happened } = faulty()
    const { id } = await queue.create({ title: 'work' }, 'maker')
    const claim = await claimOne(queue)
    const { heartbeat_at: before } = shown(beads, id)
    behave(`case "$*" in *--actor=fleet@here*heartbeat*) sleep 1; $BD "$@"; touch $state ;; *) return 1 ;; esac`)
    const next = again()
    expect(await next.renew(claim, MINUTE)).toBe(true)
    while (!happened()) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(Date.parse(String(shown(beads, id)['heartbeat_at']))).toBeGreaterThan(Date.parse(String(before)))
  })

  test("bd does not use another database if the home's is missing", async () => {
    const { queue, beads } = faulty()
    rmSync(join(beads, 'metadata.json'))
    await expect(queue.ready({ limit: 1 })).rejects.toMatchObject({
      code: 'queue',
      message: `${beads} is not a beads database`,
    })
  })
})
