import { isByProduct } from '../evidence/weak-change.ts'
import { choice } from '../verify/path-pattern.ts'

/** Dependencies, products of a build, caches and reports. */
const FOLDERS: ReadonlySet<string> = new Set([
  ...['node_modules', 'bower_components', 'jspm_packages', '.pnpm-store', '.yarn', '.bundle', 'Pods', '.dart_tool'],
  ...['.venv', 'venv', '.eggs', '.tox', '.nox', '.terraform'],
  ...[
    'build',
    'dist',
    'target',
    'obj',
    '_build',
    '.build',
    'CMakeFiles',
    'DerivedData',
    'dist-newstyle',
    '.stack-work',
  ],
  ...['.next', '.nuxt', '.output', '.svelte-kit', '.astro', '.angular', '.zig-cache', 'zig-cache', 'zig-out'],
  ...['.cache', '.parcel-cache', '.turbo', '.vite', '.gradle', '.hypothesis', 'coverage', '.nyc_output', 'htmlcov'],
  ...['test-results', 'playwright-report', '.idea', '.vscode', '.vs'],
])
const FOLDER = /\.egg-info$/
const FILE = /\.(o|class|log|tsbuildinfo)$|^\.(eslintcache|stylelintcache|DS_Store)$/

/** The same in a project that names more of them; `!` takes files out (`by_products`). */
export function madeAgainWith(own: readonly string[]): (path: string) => boolean {
  const chosen = choice(own)
  return (path) => chosen(path) ?? isMadeAgain(path)
}

/**
 * Whether a file that git ignores is by its name one that the tools of a project make again. Any other may be work. `path`: a
 * folder's ends in a slash.
 */
function isMadeAgain(path: string): boolean {
  const names = path.split('/')
  const file = names.pop() ?? ''
  return isByProduct(path) || FILE.test(file) || names.some((name) => FOLDERS.has(name) || FOLDER.test(name))
}
