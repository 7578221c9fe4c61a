import { sinceBoot } from '../../runtime/boot-clock.ts'
import { localAgents } from '../agents.ts'
import { Guard } from './guard.ts'
import { linesOf, type Message, titleOf } from './message.ts'

/**
 * The dead man's switch: `node dead-man.cjs <home> <title>`. It reads its runs from stdin and ends each when its time is over
 * (docs/adr/0021). At the end of stdin its supervisor is gone; it stays until no run is left, or until the next supervisor
 * has renewed the leases and sends SIGTERM.
 */

/** How late it may act. After a suspend this is how long agents may be at work whose lease has expired meanwhile. */
const TICK_MS = 200
/** How often it looks for runs that ended by themselves, once it has no supervisor. */
const LOOK_EVERY_MS = 1000

const [home = ''] = process.argv.slice(2)
process.title = titleOf(home)
const guard = new Guard({ agents: localAgents(), now: sinceBoot })
let rest = ''
let isAlone = false
let lookedAt = 0

process.stdin.setEncoding('utf8')
process.stdin.on('data', (text: string) => {
  const { lines, rest: next } = linesOf(rest + text)
  rest = next
  for (const line of lines) {
    const message = JSON.parse(line) as Message
    guard.take(message)
    process.stdout.write(`${message.n}\n`)
  }
})
process.stdin.on('end', alone)
process.stdin.on('error', alone)
// The supervisor is gone: stdin says so too.
process.stdout.on('error', () => {})
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// A service manager sends it to all processes at once; while there is a supervisor, the switch is needed.
process.on('SIGTERM', () => {
  if (isAlone) process.exit(0)
})
setInterval(tick, TICK_MS)

function alone(): void {
  isAlone = true
  tick()
}

function tick(): void {
  try {
    guard.endDue()
    if (!isAlone) return
    if (performance.now() - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = performance.now()
      guard.forgetEnded()
    }
  } catch {
    // The process table cannot be read just now: the next turn tries again.
  }
  if (isAlone && guard.isEmpty) process.exit(0)
}
