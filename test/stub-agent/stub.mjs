#!/usr/bin/env node
/**
 * The stub agent: one real process that follows its orders, in place of any coder.
 *
 * Orders are a JSON list of steps, or a list of such lists, one per start of the task (the last one repeats). They come from
 * the file in STUB_SCRIPT, from a file given as argument, or from a fenced ```stub block in either or in stdin; so a task's
 * own description can carry them. A resumed session remembers the orders of its task's first attempt. Each start is
 * recorded as a line of JSON in the file STUB_STARTS, if that is set.
 * `--version` prints STUB_VERSION. Without orders, or after the last one, it exits 0.
 *
 * The first key of a step names it. In texts and paths `$NAME` is replaced from the environment if it is set; paths are
 * relative to its working directory.
 *
 *   {"emit": value}                    a line on stdout: a text as it is, anything else as JSON; "times": N repeats it
 *   {"raw": text}                      without a line end: half a line
 *   {"bytes": hex}                     any bytes: invalid UTF-8, NUL
 *   {"line": megabytes}                one JSON line as long as that
 *   {"flood": lines, "size": bytes}    that many JSON lines of that size each (200)
 *   {"stderr": text}                   the same on stderr, with a line end; "times": N
 *   {"sleep": ms}  {"burn": ms}        wait idle; wait with a busy CPU
 *   {"child": {…}}                     another process: "sleep": ms, or "do": steps (default: sleeps ten minutes);
 *                                      "setsid": true, "hold": true keeps stdout and stderr open, "fork": true leaves it to
 *                                      a parent that ends at once, "wait": true waits for its end
 *   {"close": "stdout" | "stderr"}     closes it and continues
 *   {"ignore": [signals]}              from now on
 *   {"on": signal, "do": steps}        instead of dying of it; end them with "exit" to end
 *   {"write": path, "text": text}      {"append": path, "text": text}   {"touch": path}
 *   {"git": [args]}                    with a user name configured; "in": path
 *   {"stdin": path}                    reads stdin to its end into that file; true: nowhere
 *   {"fleet": [args]}                  the command on PATH; "to": path gets {code, stdout, stderr}
 *   {"run": [argv]}                    any command, the same way
 *   {"waitFor": path}                  until the file exists
 *   {"repeat": N, "do": steps}         {"until": path, "do": steps}   repeated until the file exists
 *   {"exit": code}  {"kill": signal}  {"hang": true}
 *   {"claude": "init" | "text" | …}    what claude prints, see claude.mjs
 */
import { appendFileSync, closeSync, existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs'

const argv = process.argv.slice(2)

if (argv[0] === '--version') {
  say(1, `${process.env.STUB_VERSION ?? 'stub 1.0.0'}\n`)
  process.exit(0)
}

const stdin = { text: undefined }

const STEPS = {
  emit: (value, { times = 1 }) => {
    const line = `${typeof value === 'string' ? expand(value) : JSON.stringify(value)}\n`
    for (let left = times; left > 0; left -= 1000) say(1, line.repeat(Math.min(left, 1000)))
  },
  raw: (text) => say(1, text),
  bytes: (hex) => say(1, Buffer.from(hex, 'hex')),
  line: (megabytes) => {
    say(1, '{"type":"stub","text":"')
    const part = Buffer.alloc(1 << 20, 'x')
    for (let left = megabytes; left > 0; left--) say(1, part)
    say(1, '"}\n')
  },
  flood: (lines, { size = 200 }) => {
    const line = `${JSON.stringify({ type: 'stub', text: 'x'.repeat(Math.max(0, size - 26)) })}\n`
    for (let left = lines; left > 0; left -= 500) say(1, line.repeat(Math.min(left, 500)))
  },
  stderr: (text, { times = 1 }) => {
    for (let left = times; left > 0; left -= 1000) say(2, `${expand(text)}\n`.repeat(Math.min(left, 1000)))
  },
  sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
  burn: async (ms) => {
    const end = performance.now() + ms
    // In parts, so that signals arrive in between.
    while (performance.now() < end) {
      const part = performance.now() + 10
      while (performance.now() < part);
      await new Promise((done) => setImmediate(done))
    }
  },
  child: async (order) => {
    const { spawn } = await import('node:child_process')
    const stdio = order.hold ? ['ignore', 'inherit', 'inherit'] : 'ignore'
    const inner = order.fork ? [{ child: { ...order, fork: false } }] : order.do
    const [file, ...args] = inner ? ourselves(inner) : ['sleep', String((order.sleep ?? 600_000) / 1000)]
    const child = spawn(file, args, { stdio, detached: order.setsid === true, env: innerEnvironment() })
    if (order.wait || order.fork) await new Promise((done) => child.on('exit', done))
    else child.unref()
  },
  close: (stream) => closeSync(stream === 'stderr' ? 2 : 1),
  ignore: (signals) => {
    for (const signal of signals) process.on(signal, () => {})
  },
  on: (signal, { do: steps }) => {
    process.on(signal, () => perform(steps).catch(fail))
  },
  write: (path, { text = '' }) => writeFileSync(expand(path), expand(text)),
  append: (path, { text = '' }) => appendFileSync(expand(path), expand(text)),
  touch: (path) => appendFileSync(expand(path), ''),
  git: async (args, step) => {
    const who = { NAME: 'stub', EMAIL: 'stub@localhost' }
    const env = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) =>
        Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value]),
      ),
    )
    const { code, stderr } = await command(['git', ...(step.in ? ['-C', expand(step.in)] : []), ...args], env)
    if (code !== 0) throw new Error(`stub: git ${args.join(' ')}: ${stderr}`)
  },
  stdin: (path) => {
    const text = readStdin()
    if (path !== true) writeFileSync(expand(path), text)
  },
  fleet: async (args, { to }) => keep(await command(['fleet', ...args.map(expand)]), to),
  run: async (args, { to }) => keep(await command(args.map(expand)), to),
  waitFor: async (path) => {
    while (!existsSync(expand(path))) await new Promise((done) => setTimeout(done, 5))
  },
  repeat: async (times, { do: steps }) => {
    for (let n = 0; n < times; n++) await perform(steps)
  },
  until: async (path, { do: steps }) => {
    while (!existsSync(expand(path))) await perform(steps)
  },
  exit: (code) => process.exit(code),
  kill: (signal) => {
    process.kill(process.pid, signal)
    return new Promise(() => setInterval(() => {}, 60_000))
  },
  hang: () => new Promise(() => setInterval(() => {}, 60_000)),
  claude: async (what, step) => {
    const { claude } = await import('./claude.mjs')
    await claude(what, step, { argv, emit: (event) => say(1, `${JSON.stringify(event)}\n`), perform, expand })
  },
}

const attempt = noteStart()
await perform(choose(orders(), attempt))
process.exit(0)

async function perform(steps) {
  for (const step of steps) {
    const [name = ''] = Object.keys(step)
    if (!Object.hasOwn(STEPS, name)) throw new Error(`stub: no such step: ${JSON.stringify(step)}`)
    await STEPS[name](step[name], step)
  }
}

/** A script wins over an argument, and an argument over stdin. */
function orders() {
  const inner = argv.indexOf('--steps')
  if (inner !== -1) return JSON.parse(argv[inner + 1])
  const script = process.env.STUB_SCRIPT
  if (script) return parse(readFileSync(script, 'utf8'))
  for (const each of argv) {
    const found = existsSync(each) ? parse(readFileSync(each, 'utf8')) : undefined
    if (found !== undefined) return found
  }
  return parse(readStdin()) ?? remembered() ?? []
}

/** The first attempt may have been made on another machine. */
function remembered() {
  for (let attempt = 1; attempt <= 9; attempt++) {
    const file = `${process.env.FLEET_TASK_DIR}/attempts/${attempt}/prompt.md`
    const found = existsSync(file) ? parse(readFileSync(file, 'utf8')) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function parse(text) {
  const block = /^```stub\n(.*?)^```/ms.exec(text)
  if (block !== null) return JSON.parse(block[1])
  return text.trimStart().startsWith('[') ? JSON.parse(text) : undefined
}

/** The steps for this start of the task. */
function choose(found, start) {
  return Array.isArray(found[0]) ? found[Math.min(start, found.length - 1)] : found
}

/** How many times this task was started before. */
function noteStart() {
  const log = process.env.STUB_STARTS
  if (!log || argv.includes('--steps')) return 0
  const task = process.env.FLEET_TASK_ID ?? ''
  const before = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []
  const start = { task, run: process.env.FLEET_RUN_ID ?? '', pid: process.pid, cwd: process.cwd(), argv }
  appendFileSync(log, `${JSON.stringify(start)}\n`)
  return before.filter((line) => JSON.parse(line).task === task).length
}

function readStdin() {
  stdin.text ??= readFileSync(0, 'utf8')
  return stdin.text
}

function ourselves(steps) {
  return [process.execPath, process.argv[1], '--steps', JSON.stringify(steps)]
}

function innerEnvironment() {
  const { STUB_SCRIPT: _script, STUB_STARTS: _starts, ...env } = process.env
  return env
}

async function command([file, ...args], env = {}) {
  const { spawn } = await import('node:child_process')
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...innerEnvironment(), ...env } })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text
    })
  }
  const code = await new Promise((done) => {
    child.on('error', (error) => {
      said.stderr += error.message
      done(127)
    })
    child.on('close', done)
  })
  return { code, ...said }
}

function keep(answer, path) {
  if (path !== undefined) writeFileSync(expand(path), JSON.stringify(answer))
}

function expand(text) {
  return text.replace(/\$([A-Z_]+)/g, (whole, name) => process.env[name] ?? whole)
}

function say(fd, content) {
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

function fail(error) {
  say(2, `${error.stack}\n`)
  process.exit(70)
}
