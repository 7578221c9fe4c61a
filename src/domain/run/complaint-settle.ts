/**
 * Output this soon after a complaint on stderr does not prove that the coder has recovered. It may be earlier work that a
 * busy machine prints seconds late. A coder that really recovers has first waited and then received an answer.
 */
export const COMPLAINT_SETTLE_MS = 5000
