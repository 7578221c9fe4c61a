import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendAgentFile } from '../../../src/platform/files/agent-file.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** Puts a link to another folder in the place of a folder, and the folder back, until it is killed. */
const SWAP = `
const { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs')
const [folder, other] = process.argv.slice(1)
process.stdout.write('begun')
for (;;) {
  try {
    renameSync(folder, folder + '.aside')
    symlinkSync(other, folder)
    unlinkSync(folder)
    renameSync(folder + '.aside', folder)
  } catch {
    // The other process has made the folder again meanwhile.
    for (const each of [folder, folder + '.aside']) rmSync(each, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
}
`

// macOS has no path that leads to an open folder: there a line may be written elsewhere.
test.runIf(existsSync('/proc/self/fd'))(
  'a folder that an agent swaps for a link all the time leads no line, and no mode, to another folder',
  async () => {
    const base = temporaryFolder()
    const [folder, other] = [join(base, 'task'), join(base, 'other')]
    mkdirSync(folder, { mode: 0o700 })
    mkdirSync(other)
    chmodSync(other, 0o755)
    const swapping = spawn(process.execPath, ['-e', SWAP, folder, other], { stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      await once(swapping.stdout, 'data')
      let written = 0
      const until = performance.now() + 1500
      while (performance.now() < until) {
        try {
          appendAgentFile(join(folder, 'log.jsonl'), '{}\n')
          written++
        } catch {
          // It is refused while the link is there.
        }
      }
      expect(written).toBeGreaterThan(0)
      expect([readdirSync(other), statSync(other).mode & 0o777]).toEqual([[], 0o755])
    } finally {
      swapping.kill('SIGKILL')
      await once(swapping, 'exit')
    }
  },
)
