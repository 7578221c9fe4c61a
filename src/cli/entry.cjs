#!/usr/bin/env node
'use strict'
// The command itself. It must run on any Node, so that an old one is told in a sentence and not by a syntax error: ES5
// only, no `node:` names. test/e2e/old-node.test.ts checks both. The numbers are those of src/doctor/tools.ts.
var parts = process.versions.node.split('.').map(Number)
var isEnough = parts[0] > 22 || (parts[0] === 22 && parts[1] >= 3) || (parts[0] === 20 && parts[1] >= 19)
if (isEnough) {
  require('./start.cjs')
} else {
  process.stderr.write(
    'fleet: Node ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ') is too old: fleet needs 20.19, or 22.3 and newer\n' +
      '  install a newer Node (https://nodejs.org), or put one first on PATH\n'
  )
  process.exitCode = 8
}
