/** One log line: a constant that names the event, and its fields. */
export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void
