// The anchor of `throughput`: spawns the same script <tasks> times, <at once> at a time, and reads its pipe. Nothing else
// but, with `on`, a pid namespace around each, as `unshare` makes it.
//   throughput.cjs <script> <tasks> <at once> <on|off>
const { spawn } = require('node:child_process')

const [script, tasks, atOnce, namespace] = process.argv.slice(2)
const around = namespace === 'on' ? ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--'] : []
const [file, ...argv] = [...around, '/bin/sh', script]
const start = process.hrtime.bigint()
let begun = 0
let done = 0
let bytes = 0

function next() {
  if (begun >= Number(tasks)) return
  begun++
  const child = spawn(file, argv, { stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.on('data', (chunk) => {
    bytes += chunk.length
  })
  child.on('close', (code) => {
    if (code !== 0) throw new Error(`the script ended with ${code}`)
    done++
    next()
  })
}

for (let i = 0; i < Number(atOnce); i++) next()
process.on('exit', () => {
  console.log(JSON.stringify({ done, bytes, seconds: Number(process.hrtime.bigint() - start) / 1e9 }))
})
