// Preloaded into a supervisor: once it has started its launcher, it cannot learn the name of its machine.
const os = require('node:os')
const processes = require('node:child_process')

const { spawn } = processes
processes.spawn = (program, ...rest) => {
  const child = spawn(program, ...rest)
  if (JSON.stringify(rest[0]).includes('(starts agents)')) {
    os.hostname = () => {
      throw new Error('this machine has no name')
    }
  }
  return child
}
