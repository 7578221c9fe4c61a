// Preloaded by benchmarks: writes what this process itself has used, without its children, to file descriptor 3.
// Not process.resourceUsage() for memory where there is /proc: its figure can begin with that of the process that started
// this one.
const { existsSync, readFileSync, writeSync } = require('node:fs')

process.on('exit', () => {
  const peakKilobytes = existsSync('/proc/self/status')
    ? Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
    : process.resourceUsage().maxRSS
  const { user, system } = process.cpuUsage()
  writeSync(3, JSON.stringify({ peakKilobytes, cpuSeconds: (user + system) / 1e6 }))
})
