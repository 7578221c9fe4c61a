import { SETTINGS, type Section } from './schema.ts'
import { tomlValue } from './toml-value.ts'

/** docs/reference/config.md, made from the table of settings (`npm run docs` writes it). */
export function configReference(): string {
  const parts = Object.entries(SETTINGS.members).flatMap(([name, node]) => {
    if (node.node === 'section') return [`## \`[${name}]\`\n\n${node.meaning}.\n\n${table(node)}`]
    if (node.node === 'each')
      return [
        `## \`[${name}.${node.name === 'path' ? '"<path>"' : `<${node.name}>`}]\`\n\n${node.meaning}.\n\n${table(node.section)}`,
      ]
    return []
  })
  return `${HEAD}\n${table(SETTINGS)}\n${parts.join('\n')}`
}

const HEAD = `# runtime.toml

<!-- Generated from src/config/schema.ts by \`npm run docs\`. Do not edit. -->

The configuration of a home, \`$FLEET_HOME/runtime.toml\`. A missing file or setting means the default. A setting fleet does
not know, a wrong type or a value out of range is refused with exit code 3 and a message that names the key.

- \`fleet config show\` prints what is in force and where each value comes from; \`--raw\` prints the file.
- \`fleet config set key=value …\` changes the file: all of the values or none, comments and layout kept. Strings may be bare
  words, lists are TOML (\`'env_pass=["GH_TOKEN"]'\`), an empty value removes a setting. \`coder=X\` without \`model=\` also sets
  the model to X's default.
- Durations are one number and a unit: \`500ms\`, \`90s\`, \`10m\`, \`1.5h\`, \`2d\`.
- Passwords in a \`postgres://\` URL and variables whose names look like secrets are masked wherever fleet prints them.
`

function table(section: Section): string {
  const rows = Object.entries(section.members).flatMap(([name, node]) =>
    node.node === 'setting'
      ? [
          `| \`${name}\` | ${node.default === undefined ? '' : code(tomlValue(node.default))} | ${cell(node.kind.expected)} | ${cell(node.meaning)} |`,
        ]
      : [],
  )
  return `| key | default | accepted | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function code(text: string): string {
  return `\`${text}\``
}

/** Escapes Markdown: a pipe would end the cell, a star would start emphasis. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*')
}
