'use strict'
// Loaded before the scripts that a newcomer runs first, so that an old Node is told in a sentence and not by an error of its
// own. As in the entry of the command, whose numbers these are: ES5 only. test/e2e/old-node.test.ts checks both.
var parts = process.versions.node.split('.').map(Number)
var isEnough = parts[0] > 22 || (parts[0] === 22 && parts[1] >= 3) || (parts[0] === 20 && parts[1] >= 19)
if (!isEnough) {
  process.stderr.write(
    'fleet: Node ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ') is too old: fleet needs 20.19, or 22.3 and newer\n' +
      '  install a newer Node (https://nodejs.org), or put one first on PATH\n'
  )
  process.exit(8)
}
