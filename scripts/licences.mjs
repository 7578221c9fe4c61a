import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file beside the program that has the licences of the packages bundled into it. */
export const LICENCES = 'THIRD_PARTY_LICENSES'

/**
 * The packages that these modules belong to, `name@version` and their folders, in the order of their names.
 * @param {readonly string[]} modules absolute paths
 * @returns {{ id: string, folder: string }[]}
 */
export function packagesOf(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined))
  return [...folders]
    .map((folder) => {
      const { name, version } = manifestOf(folder)
      return { id: `${name}@${version}`, folder }
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * The licence of each package, as it has to travel with the code; throws if a package has none.
 * @param {readonly string[]} modules
 * @returns {string}
 */
export function licencesOf(modules) {
  const parts = packagesOf(modules).map(({ id, folder }) => {
    const { license = 'no name' } = manifestOf(folder)
    return `---- ${id} (${license})\n\n${textIn(folder, id)}\n`
  })
  return ['fleet contains code of these packages.\n', ...parts].join('\n')
}

function packageFolder(module) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0]
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Its licence file; some packages have theirs at the end of the README. */
function textIn(folder, id) {
  const names = readdirSync(folder)
  const file = names.find((name) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(name))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim()
  const readme = names.find((name) => /^readme/i.test(name))
  const text =
    readme === undefined || !existsSync(join(folder, readme)) ? '' : readFileSync(join(folder, readme), 'utf8')
  const section = /^#+\s*licen[cs]e\s*$([\s\S]*)/im.exec(text)?.[1]?.trim()
  if (section) return section
  throw new Error(`${id} has no licence text (in ${folder}): it cannot be bundled`)
}
