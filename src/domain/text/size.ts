const UNITS: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

/** `512MB`, `1.5 GB`; undefined: it is no size. */
export function sizeBytes(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([KMGT]B)$/i.exec(text.trim()) ?? []
  return number === undefined ? undefined : Math.round(Number(number) * (UNITS[unit.toUpperCase()] ?? 1))
}

export function sizeText(bytes: number): string {
  const unit = ['TB', 'GB', 'MB'].find((each) => bytes >= (UNITS[each] ?? 1)) ?? 'KB'
  const amount = bytes / (UNITS[unit] ?? 1)
  return `${amount >= 100 ? Math.round(amount) : Number(amount.toFixed(1))} ${unit}`
}
