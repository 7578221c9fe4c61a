/** The files that differ from HEAD, and those that git does not track. Git starts nothing in submodules. */
export const STATUS = [
  ...['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'],
]
/** Work would be lost, so a large checkout gets time. */
export const STATUS_LIMITS = { timeoutMs: 2 * 60_000, maxBytes: 64 << 20 }
