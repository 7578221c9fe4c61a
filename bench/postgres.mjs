import { chmodSync } from 'node:fs'
import { bundled } from './build.mjs'
import { inFolder } from './measure.mjs'

/** Runs `work` with a new folder and a new server. Without PostgreSQL the benchmark is skipped and says so. */
export async function withPostgres(work) {
  const { findPostgres, TestServer } = bundled('server')
  const bin = findPostgres()
  if (bin === undefined) {
    return { figures: { PostgreSQL: 'is not installed here' }, ratio: 'SKIPPED', bar: 'none', pass: true }
  }
  return await inFolder(async (folder) => {
    // Under root the server runs as another user, who must be able to enter its folder.
    chmodSync(folder.path, 0o711)
    const server = new TestServer(bin, () => folder.path)
    try {
      await server.make()
      return await work(server, folder)
    } finally {
      await server.end()
    }
  })
}
