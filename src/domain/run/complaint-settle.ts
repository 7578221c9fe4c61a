/**
 * What it had done before it complained, a coder may print a moment after, and on a busy machine seconds after; and what
 * it printed is read later than that. Who gets over a complaint has waited, and been answered. In milliseconds.
 */
export const COMPLAINT_SETTLE_MS = 5000
