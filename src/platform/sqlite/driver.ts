import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

type Driver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync'>

const PACKAGE = '@photostructure/sqlite'

/**
 * Loads the driver's native module directly from its package. The package's own search and wrappers cost every command a
 * tenth of its time. In unusual cases (musl, a local build, another version of the package) the package loads it itself.
 */
export function loadDriver(from = import.meta.dirname): Driver {
  return nativePart(from) ?? createRequire(`${from}/`)(PACKAGE)
}

function nativePart(from: string): Driver | undefined {
  const folder = packageFolder(from)
  const unusual = process.env['LIBC'] !== undefined || existsSync(ALPINE)
  if (unusual || folder === undefined || existsSync(`${folder}/build`)) return undefined
  const native: { exports: Partial<Driver> } = { exports: {} }
  try {
    process.dlopen(
      native,
      `${folder}/prebuilds/${process.platform}-${process.arch}/${PACKAGE.replace('/', '+')}.glibc.node`,
    )
  } catch {
    return undefined
  }
  const { DatabaseSync } = native.exports
  return DatabaseSync === undefined ? undefined : { DatabaseSync }
}

/** Node's lookup, without reading any package.json. */
function packageFolder(from: string): string | undefined {
  const folder = `${from}/node_modules/${PACKAGE}`
  if (existsSync(folder)) return folder
  return dirname(from) === from ? undefined : packageFolder(dirname(from))
}

/** The package also detects Alpine's musl by this file. */
const ALPINE = '/etc/alpine-release'
