import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled, FLEET } from './build.mjs'
import { byTurns, inFolder, median, timed } from './measure.mjs'

const ROUNDS = 41
const RUN = 'run'
const BAR_MS = 15
/** A run signs its letters. */
const KEY = 'fleet-key-BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw'

export const hooks = {
  name: 'hooks',
  about: 'what a tool call pays for the hook before it, without a message and with one, against a bare `sh -c :`',
  run: () =>
    inFolder((folder) => {
      const { LINE, CHECK, order } = bundled('hooks')
      const [name, text] = order(RUN)
      const orders = join(folder.path, 'hooks')
      const home = join(folder.path, 'home')
      const fleet = join(folder.path, 'fleet')
      for (const each of [orders, home]) mkdirSync(each)
      writeFileSync(fleet, `#!/bin/sh\nexec '${process.execPath}' '${FLEET}' "$@"\n`)
      chmodSync(fleet, 0o755)
      const env = {
        FLEET_HOME: home,
        FLEET_RUN_ID: RUN,
        FLEET_TASK_ID: 'fleet-a1b',
        FLEET_RUN_KEY: KEY,
        FLEET_HOOKS: orders,
        FLEET_HOOKS_CHECK: CHECK,
        FLEET_COMMAND: fleet,
      }
      const sides = {
        bare: () => timed('/bin/sh', ['-c', ':'], env),
        silent: () => timed('/bin/sh', ['-c', LINE], env),
        message: () => {
          writeFileSync(join(orders, name), text)
          const time = timed('/bin/sh', ['-c', LINE], env)
          if (!readdirSync(orders).includes(`${name}.taken`)) throw new Error('the message was not delivered')
          rmSync(join(orders, `${name}.taken`))
          return time
        },
      }
      const times = { bare: [], silent: [], message: [] }
      for (let round = -1; round < ROUNDS; round++) {
        for (const side of byTurns(Object.keys(sides), round + 1)) {
          const time = sides[side]()
          if (round >= 0) times[side].push(time)
        }
      }
      const [bare, silent, message] = Object.values(times).map(median)
      return {
        figures: {
          [`without a message, median of ${ROUNDS}`]: `${silent.toFixed(1)} ms`,
          [`sh -c :, median of ${ROUNDS}`]: `${bare.toFixed(1)} ms`,
          [`with a message, median of ${ROUNDS}`]: `${message.toFixed(1)} ms`,
        },
        ratio: `${silent.toFixed(1)} ms, ${(silent / bare).toFixed(2)} x of sh -c :`,
        bar: `<= ${BAR_MS} ms for each tool call`,
        pass: silent <= BAR_MS,
      }
    }),
}
