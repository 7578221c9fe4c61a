import { spawn } from 'node:child_process'

/**
 * @typedef {{ name: string, argv: readonly string[], env?: Readonly<Record<string, string>>, missing?: number }} Step
 * @typedef {{ status: number | null, output: string }} Ended
 */

/**
 * Runs the steps beside each other. A step that is alone prints as it goes; of several, each has all it printed in its
 * `output`, so that nothing is mixed.
 * @template {Step} S
 * @param {readonly S[]} steps
 * @param {(step: S, ended: Ended) => void} ended called as each ends; if it throws, the others are stopped
 * @returns {Promise<void>}
 */
export async function performStage(steps, ended) {
  const running = steps.map((step) => ({ step, ...start(step, steps.length === 1) }))
  let isStopped = false
  const all = running.map(async ({ step, end }) => {
    const result = await end
    if (!isStopped) ended(step, result)
  })
  try {
    await Promise.all(all)
  } catch (error) {
    isStopped = true
    for (const { child } of running) child.kill()
    await Promise.allSettled(all)
    throw error
  }
}

/** @param {Step} step @param {boolean} isAlone */
function start({ argv: [file = '', ...argv], env }, isAlone) {
  const child = spawn(file, argv, {
    stdio: isAlone ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  /** @type {Promise<Ended>} */
  const end = new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (status) => resolve({ status, output }))
  })
  return { child, end }
}
