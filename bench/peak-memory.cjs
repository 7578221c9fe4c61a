// Preloaded by list-memory: writes the most memory this process ever held, in kilobytes, to file descriptor 3.
// Not process.resourceUsage() where there is /proc: its figure can begin with that of the process that started this one.
const { existsSync, readFileSync, writeSync } = require('node:fs')

process.on('exit', () => {
  const peak = existsSync('/proc/self/status')
    ? /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]
    : process.resourceUsage().maxRSS
  writeSync(3, String(peak))
})
