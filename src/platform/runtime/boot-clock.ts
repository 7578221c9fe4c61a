import { uptime } from 'node:os'

/**
 * Milliseconds by a clock that all processes of this machine share, that never goes back and counts the time the machine was
 * suspended: CLOCK_BOOTTIME on Linux, mach_continuous_time on macOS. Node's own clock stands still during a suspend on Linux.
 */
export const sinceBoot: () => number =
  process.platform === 'linux' ? () => uptime() * 1000 : () => Number(process.hrtime.bigint() / 1000n) / 1000
