import { choice } from '../verify/path-pattern.ts'

/** Why a change is no evidence by itself. It counts where the task asks for it (`--evidence path:<path>`). */
export type Weakness = 'blank' | 'mode' | 'notes' | 'by-product' | 'copy of its notes' | 'was stashed'

export const WEAKNESS_TEXTS: Readonly<Record<Weakness, string>> = {
  blank: 'is new and has no text in it',
  mode: 'changed its mode alone',
  notes: 'is a new file of notes',
  'by-product': 'is left over by a tool',
  'copy of its notes': 'is a copy of its notes',
  'was stashed': 'is as a stash had it before',
}

const NOTES_WORDS: ReadonlySet<string> = new Set([
  ...['plan', 'plans', 'note', 'notes', 'todo', 'todos', 'scratch', 'scratchpad', 'handoff'],
  ...['status', 'progress', 'knowledge', 'memory', 'q&a'],
])
/** Words that say nothing about what a file is. */
const FILLERS = /^(?:v?\d+|final|draft|new|updated?|list|file|log)$/
/** Notes for the users of a project. */
const FOR_USERS = /^(?:release|patch|upgrade|version|migration)s?-notes?$/

/** Whether a file is by its name a plan or notes of an agent for itself: the last word of the name says what it is. */
export function isNotes(path: string): boolean {
  const [, name = ''] = /([^/]*?)(?:\.(?:md|markdown|txt))?$/i.exec(path) ?? []
  if (name.includes('.')) return false
  const words = name
    .replace(/([a-z])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .replace('hand-off', 'handoff')
    .split(/[-_ ]+/)
  while (words.length > 1 && FILLERS.test(words.at(-1) as string)) words.pop()
  return NOTES_WORDS.has(words.at(-1) ?? '') && !FOR_USERS.test(words.slice(-2).join('-'))
}

const BY_PRODUCTS = [
  // Caches.
  /(?:^|\/)(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.hypothesis|\.tox|\.nox|\.parcel-cache|\.turbo|\.gradle)\//,
  /\.py[co]$|\.tsbuildinfo$|(?:^|\/)\.(?:eslint|stylelint|prettier)cache$/,
  // Reports of tests, and of what they cover.
  /(?:^|\/)coverage\/(?:lcov-report\/.*|.*\.(?:info|lcov|xml|json|html|css|png))$/,
  /(?:^|\/)(?:htmlcov|\.nyc_output|test-results|test-reports|surefire-reports|playwright-report|TestResults)\//,
  /(?:^|\/)(?:\.coverage(?:\..*)?|coverage\.(?:xml|json|out|txt|lcov)|cover\.out|lcov\.info|clover\.xml|cobertura[^/]*\.xml)$/,
  /(?:^|\/)(?:junit|TEST-)[^/]*\.xml$|\.(?:gcda|gcno|gcov|profraw|profdata|trx)$/,
  // Of editors, agents and the machine.
  /(?:^|\/)(?:\.aider[^/]*|\.claude\/settings\.local\.json|Thumbs\.db|nohup\.out|(?:npm|yarn|pnpm)-(?:debug|error)\.log[^/]*|core\.\d+)$/,
  /~$|\.sw[a-p]$/,
]

/** Whether a new file is by its name something that a tool leaves behind when it runs. */
export function isByProduct(path: string): boolean {
  return BY_PRODUCTS.some((pattern) => pattern.test(path))
}

/** The same in a project that names more of them; `!` takes files out (`by_products`). */
export function byProductsWith(own: readonly string[]): (path: string) => boolean {
  const chosen = choice(own)
  return (path) => chosen(path) ?? isByProduct(path)
}
