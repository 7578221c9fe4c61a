/**
 * Milliseconds of CLOCK_MONOTONIC: nothing sets it back, and all processes of this machine share it.
 * @returns {number}
 */
export const now = () => Number(process.hrtime.bigint()) / 1e6

const BEGAN = now()

/** Of the steady clock (steady-clock.cjs): its dates are this far from `now`, whatever happens to the wall clock later. */
export const EPOCH = Math.round(Date.now() - BEGAN)

/**
 * Milliseconds from one moment of `now` to another.
 * @param {number} from
 * @param {number} [to]
 * @param {{ signed?: boolean }} [how] `signed`: the second moment may come first
 * @returns {number}
 */
export function elapsed(from, to = now(), { signed = false } = {}) {
  return possible(to - from, { signed })
}

/**
 * A figure in milliseconds, as it is; throws for one that cannot be: no number, below zero, or longer than this run.
 * @param {number} millis
 * @param {{ signed?: boolean }} [how]
 * @returns {number}
 */
export function possible(millis, { signed = false } = {}) {
  const run = now() - BEGAN
  if (!Number.isFinite(millis) || (millis < 0 && !signed) || Math.abs(millis) > run)
    throw new Error(`${millis} ms is no possible figure of a benchmark that began ${Math.round(run)} ms ago`)
  return millis
}
