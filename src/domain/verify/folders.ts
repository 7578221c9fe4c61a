/** Folders of installed packages, which are too large to copy, and which commands read and hardly ever write. */
const PACKAGES =
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|\.venv|venv|site-packages|vendor|\.bundle|deps|Pods|\.pub-cache|\.stack-work|\.cpcache)\/?$/

export function isPackageFolder(path: string): boolean {
  return PACKAGES.test(path)
}

/** Folders of what builds and tools make. */
const OUTPUT =
  /(?:^|\/)(?:dist|build|_build|out|output|target|coverage|bin|obj|tmp|temp|logs?|\.next|\.nuxt|\.output|\.svelte-kit|\.turbo|\.parcel-cache|\.cache|\.gradle|\.tox|\.nox|\.eggs|[^/]+\.egg-info|__pycache__|\.(?:mypy|pytest|ruff)_cache|\.dart_tool|\.build|DerivedData|\.idea|\.vscode|\.vs)\/?$/

export function isOutputFolder(path: string): boolean {
  return OUTPUT.test(path)
}
