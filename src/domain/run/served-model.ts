/** Names by which the CLI chooses a model itself, so that any model is a valid answer. */
const OPEN_NAMES = new Set(['default', 'best', 'auto', 'opusplan'])

/**
 * Whether a different model answered than the one asked for. Any claude-sonnet satisfies `sonnet`, and `model` satisfies
 * `provider/model`. A release (a date, `latest`, `preview`), a mode or an effort may be missing on one side. Any other
 * difference counts: `gpt-5-mini` is not `gpt-5`.
 */
export function servedByAnother(asked: string | null, served: string | null): boolean {
  if (asked === null || served === null) return false
  const [wanted, got] = [parts(asked), parts(served)]
  if (OPEN_NAMES.has(wanted.name)) return false
  if (!/\d/.test(wanted.name)) return familyOf(wanted.name) !== familyOf(got.name)
  return wanted.name !== got.name || (wanted.release !== '' && got.release !== '' && wanted.release !== got.release)
}

export function servedWarning(asked: string | null, served: string | null): string | undefined {
  return servedByAnother(asked, served) ? `asked for ${asked}, answered by ${served}` : undefined
}

/** The region and vendor prefix of a cloud: `us.anthropic.claude-…`. */
const PLACE = /^(?:(?:us|eu|apac|jp|au|global|anthropic|openai|google)-)+/
/** `-20250929`, `-2024-08-06`, `-0613`, `-001`, `-latest`, `-preview-05-06`, `-v1:0`, `-high` */
const RELEASE =
  /(?:-(?:20\d{6}|20\d\d-\d\d-\d\d|\d{4}|00\d|v\d+-\d|latest|(?:preview|exp|experimental)(?:-\d\d-(?:20)?\d\d)?|minimal|low|medium|high|xhigh|thinking))+$/

function parts(model: string): { name: string; release: string } {
  const last = model.toLowerCase().split('/').at(-1) ?? ''
  const plain = last
    .replace(/\[[^\]]*\]$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .replace(PLACE, '')
  const [suffix = ''] = RELEASE.exec(plain) ?? []
  const release = suffix.replace(/-(?:latest|preview|exp|experimental)\b/g, '')
  return { name: plain.slice(0, plain.length - suffix.length), release }
}

/** The name without vendor and numbers: `claude-opus-4-5` and `opus` are the same family. */
function familyOf(name: string): string {
  const words = name.split('-').filter((word) => !/\d/.test(word) && word !== 'claude' && word !== 'gemini')
  return words.join('-')
}
