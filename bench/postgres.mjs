import { chmodSync } from 'node:fs'
import { bundled } from './build.mjs'
import { inFolder } from './measure.mjs'

/** Gives `work` a folder and a server of its own; where there is no PostgreSQL the benchmark says so. */
export async function withPostgres(work) {
  const { findPostgres, TestServer } = bundled('server')
  const bin = findPostgres()
  if (bin === undefined) {
    return { figures: { PostgreSQL: 'is not installed here' }, ratio: 'SKIPPED', bar: 'none', pass: true }
  }
  return await inFolder(async (folder) => {
    // It runs as another user where this one is root, and has to get through to its own folder.
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
