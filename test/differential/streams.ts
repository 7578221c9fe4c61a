/** Replaces the standard streams for commands that run in this process. */
export const streams = { out: '', err: '', input: '' }
