import { SETTINGS, type Section } from './schema.ts'
import { tomlValue } from './toml-value.ts'

/** The runtime.toml that `fleet init` writes: every setting with its meaning and default, as comments. */
export function template(queue = 'local'): string {
  const root = settingLines(SETTINGS, { queue })
  const sections = Object.entries(SETTINGS.members).flatMap(([name, node]) =>
    node.node === 'section' ? [`[${name}]\n# ${node.meaning}.\n\n${settingLines(node)}`] : [],
  )
  return `${HEAD}\n${root}\n${sections.join('\n')}`
}

const HEAD = `# fleet's configuration. Each line that begins with "# name =" shows a default; remove the # to change it,
# or run: fleet config set name=value. A running supervisor picks up changes by itself.
#
# Add your own tables at the end of the file, e.g.
#   fleet config set 'projects."/home/me/project".coder=codex'
#   fleet config set 'coders.mine.command=["my-agent", "{prompt_file}"]'
# All settings: fleet config show, and docs/reference/config.md.
`

/** `chosen` are written as settings, not comments: init chose the queue, and another version must not choose again. */
function settingLines(section: Section, chosen: Readonly<Record<string, string>> = {}): string {
  return Object.entries(section.members)
    .flatMap(([name, node]) => {
      if (node.node !== 'setting') return []
      const { kind, meaning } = node
      const unset = node.default === undefined
      const example = kind.bareWords ? tomlValue(kind.example) : kind.example
      const about = `# ${meaning} (${kind.expected})${unset ? '; not set by default, for example' : ''}`
      const value = chosen[name] === undefined ? (unset ? example : tomlValue(node.default)) : tomlValue(chosen[name])
      return [`${about}\n${chosen[name] === undefined ? '# ' : ''}${name} = ${value}\n`]
    })
    .join('\n')
}
