import { AppError } from '../errors.ts'

export function labelRegex(pattern: string): RegExp {
  try {
    return new RegExp(pattern)
  } catch (error) {
    throw new AppError('failed', `invalid label regex ${JSON.stringify(pattern)}: ${(error as Error).message}`)
  }
}

/** A glob as SQLite reads it: `*`, `?`, `[abc]`, `[a-z]`, `[^x]`; everything else is literal. */
export function labelGlob(pattern: string): RegExp {
  const parts = pattern.match(/\[\^?\]?[^\]]*\]|[\s\S]/g) ?? []
  const source = parts.map((part) => {
    if (part === '*') return '[\\s\\S]*'
    if (part === '?') return '[\\s\\S]'
    if (part.length === 1) return part.replace(/[\\^$.|+(){}[\]/]/, '\\$&')
    const [, not = '', inside = ''] = /^\[(\^?)([\s\S]*)\]$/.exec(part) ?? []
    return `[${not}${inside.replace(/[\\\]^[]/g, '\\$&')}]`
  })
  return new RegExp(`^${source.join('')}$`, 'u')
}
