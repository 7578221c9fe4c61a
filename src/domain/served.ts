/** Names that stand for whatever the CLI thinks best: no answer can contradict them. */
const OPEN_NAMES = new Set(['default', 'best', 'auto', 'opusplan'])

/**
 * Whether another model answered than was asked for. `sonnet` is answered by any claude-sonnet, `provider/model` by that
 * model, and a suffix in brackets is a mode of it.
 */
export function servedByAnother(asked: string | null, served: string | null): boolean {
  if (asked === null || served === null) return false
  const wanted = plain(asked)
  const got = plain(served)
  return !OPEN_NAMES.has(wanted) && !got.includes(wanted) && !wanted.includes(got)
}

export function servedWarning(asked: string | null, served: string | null): string | undefined {
  return servedByAnother(asked, served) ? `asked for ${asked}, answered by ${served}` : undefined
}

function plain(model: string): string {
  return (model.toLowerCase().split('/').at(-1) ?? '').replace(/\[[^\]]*\]$/, '')
}
