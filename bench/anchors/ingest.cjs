// The anchor of `ingest`: reads the whole file at once, splits it into lines and parses each. Nothing else.
const { readFileSync } = require('node:fs')

const start = process.hrtime.bigint()
let lines = 0
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  if (line === '') continue
  if (typeof JSON.parse(line).type === 'string') lines++
}
console.log(JSON.stringify({ lines, seconds: Number(process.hrtime.bigint() - start) / 1e9 }))
