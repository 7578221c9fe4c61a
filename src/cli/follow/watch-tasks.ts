import { atMost } from '../../platform/runtime/wait.ts'
import { onKeys } from '../../platform/terminal/keys.ts'
import { isOutputGone } from '../../platform/terminal/output.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import { type Snapshot, type SnapshotWish, snapshot } from '../../views/snapshot.ts'
import type { Call } from '../command.ts'
import { frame, painted } from '../render/painted.ts'
import { tasksPicture } from '../render/tasks.ts'
import { AT_TOP, pressed, type Window, windowLines } from '../render/window.ts'

export const EVERY_MS = 1000

/** Draws `fleet tasks` every second and after every key, until `q`, a signal, or until the terminal has gone. */
export async function watchOnTerminal(call: Call, wish: SnapshotWish): Promise<void> {
  let window: Window | undefined = AT_TOP
  let seen: Snapshot | undefined
  let quit = (): void => {}
  const over = new Promise<void>((resolve) => {
    quit = resolve
  })
  const draw = (): void => {
    const screen = terminal(call.env)
    if (screen === undefined || seen === undefined || window === undefined) return
    const picture = tasksPicture(seen, screen.columns)
    const lines = windowLines(picture, window, { ...screen, now: Date.now(), keys: keys !== undefined })
    call.show(frame(painted(lines, screen)))
  }
  using keys = onKeys((key) => {
    const screen = terminal(call.env)
    if (screen === undefined || window === undefined) return
    const lines = seen === undefined ? 0 : tasksPicture(seen, screen.columns).length
    window = pressed(window, key, { lines, rows: screen.rows })
    if (window === undefined) quit()
    else draw()
  })
  for (; window !== undefined && !isOutputGone(); await atMost(EVERY_MS, over)) {
    seen = await snapshot(call.home, wish)
    draw()
  }
}
