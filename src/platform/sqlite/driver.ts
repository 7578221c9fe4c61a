import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

type Driver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync'>

const PACKAGE = '@photostructure/sqlite'

/**
 * The driver's native part, taken from where its package keeps it for this machine. The package's own search for it, and
 * the conveniences it adds, cost every command a tenth of its time. Where anything is unusual (musl, a build of one's own,
 * another version of the package) the package finds its way itself.
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

/** As Node looks for it, without reading what it finds on the way. */
function packageFolder(from: string): string | undefined {
  const folder = `${from}/node_modules/${PACKAGE}`
  if (existsSync(folder)) return folder
  return dirname(from) === from ? undefined : packageFolder(dirname(from))
}

/** Its musl is told apart from others by this file, by the package too. */
const ALPINE = '/etc/alpine-release'
