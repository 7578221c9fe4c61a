// The anchor of `cpu`: reads what has come in each of the files every 50 ms, cuts it into lines, parses each, and makes
// nothing of it.
const { openSync, readSync } = require('node:fs')

const buffer = Buffer.allocUnsafeSlow(256 * 1024)
const files = process.argv.slice(2).map((path) => ({ fd: openSync(path, 'r'), half: '' }))

setInterval(() => {
  for (const file of files) {
    const bytes = readSync(file.fd, buffer)
    if (bytes === 0) continue
    const lines = `${file.half}${buffer.toString('utf8', 0, bytes)}`.split('\n')
    file.half = lines.pop()
    for (const line of lines) JSON.parse(line)
  }
}, 50)
