/** The flags of `fleet run`. While that supervisor runs, they override the configuration. */
export interface RunFlags {
  readonly coder?: string
  readonly model?: string
  readonly max?: number
  readonly once?: boolean
}

/** From a supervisor's record, which another version of fleet may have written. Skips unusable flags. null: no record. */
export function recordedFlags(value: unknown): RunFlags | null {
  if (typeof value !== 'object' || value === null) return null
  const { coder, model, max, once } = value as Readonly<Record<string, unknown>>
  return {
    ...(typeof coder === 'string' && { coder }),
    ...(typeof model === 'string' && { model }),
    ...(typeof max === 'number' && { max }),
    ...(once === true && { once }),
  }
}
