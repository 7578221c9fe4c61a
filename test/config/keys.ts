import { SETTINGS, type Section } from '../../src/config/schema.ts'

/** Every setting of the table, with `*` for a name of the user's: `timeouts.idle`, `projects.*.coder`. */
export function settingKeys(section: Section = SETTINGS, at = ''): string[] {
  return Object.entries(section.members).flatMap(([name, node]) => {
    if (node.node === 'setting') return [`${at}${name}`]
    return node.node === 'each' ? settingKeys(node.section, `${at}${name}.*.`) : settingKeys(node, `${at}${name}.`)
  })
}
