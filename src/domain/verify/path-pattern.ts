/**
 * A pattern of .gitignore as a regular expression over whole paths below the top folder, with `/` between names. Beside what
 * git knows, `{a,b}` stands for either. A pattern with a slash at its end means all that is below such folders.
 */
export function pathPattern(pattern: string): string {
  const isFolder = pattern.endsWith('/')
  const given = pattern.replace(/^\//, '').replace(/\/$/, '')
  const isAnchored = pattern.startsWith('/') || given.includes('/')
  const body = expressionOf(given.replace(/^\*\*\//, ''))
  const start = isAnchored && !given.startsWith('**/') ? '^' : '(?:^|/)'
  return `${start}${body}${isFolder ? '/' : '(?:$|/)'}`
}

const TOKEN = /\*\*\/|\/\*\*$|\*\*|\*|\?|\[!?\]?[^\]/]*\]|\{|\}|,|\\.|[\s\S]/g

function expressionOf(pattern: string): string {
  let depth = 0
  return [...pattern.matchAll(TOKEN)]
    .map(([token]): string => {
      switch (token) {
        case '**/':
          return '(?:[^/]+/)*'
        case '/**':
          return '/.*'
        case '**':
        case '*':
          return '[^/]*'
        case '?':
          return '[^/]'
        case '{':
          depth++
          return '(?:'
        case '}':
          if (depth === 0) return '\\}'
          depth--
          return ')'
        case ',':
          return depth > 0 ? '|' : ','
      }
      if (/^\[.+\]$/.test(token)) return token.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')
      return (token.length === 2 && token.startsWith('\\') ? token.slice(1) : token).replace(
        /[.*+?^${}()|[\]\\/]/g,
        '\\$&',
      )
    })
    .join('')
}

/** `patterns`: in order, the last that matches a path decides; `!` takes it out. undefined: none matches. */
export function choice(patterns: readonly string[]): (path: string) => boolean | undefined {
  const rules = patterns.map((pattern) => {
    const isOut = pattern.startsWith('!')
    return { isIn: !isOut, matches: new RegExp(pathPattern(isOut ? pattern.slice(1) : pattern)) }
  })
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.isIn
}
