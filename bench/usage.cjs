// Preloaded by benchmarks: writes the CPU and peak memory of this process, without its children, to file descriptor 3.
// Memory comes from /proc where it exists: process.resourceUsage() can start with the peak of the parent process.
const { existsSync, readFileSync, writeSync } = require('node:fs')

process.on('exit', () => {
  const peakKilobytes = existsSync('/proc/self/status')
    ? Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
    : process.resourceUsage().maxRSS
  const { user, system } = process.cpuUsage()
  writeSync(3, JSON.stringify({ peakKilobytes, cpuSeconds: (user + system) / 1e6 }))
})
