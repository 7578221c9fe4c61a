import { LINT_SECTIONS, ON_CLOSE, ON_CREATE, REQUIRE_DESCRIPTION } from '../../../domain/queue/bd-configuration.ts'
import type { TaskDraft } from '../../../ports/queue.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { inText } from './issue-input.ts'

/** The sections that the configuration, or --validate, requires of a new issue. */
export async function checkSections(call: BdCall, draft: TaskDraft): Promise<void> {
  const { values } = call.store
  const { description = '', acceptance_criteria: criteria = '', issue_type: type = 'task' } = draft
  if (description === '' && (await setting(call, REQUIRE_DESCRIPTION)) === 'true') {
    throw inText(`description is required (fleet bd config set ${REQUIRE_DESCRIPTION} false to disable)`)
  }
  const mode = call.flags.on('validate') ? 'error' : await setting(call, ON_CREATE)
  if (mode !== 'error' && mode !== 'warn') return
  const more = (await values.get(`${LINT_SECTIONS}${type}`)) ?? ''
  // Loaded here: few queues are configured so, and every command would carry it.
  const { missingSections } = await import('../../../domain/task/rules/lint.ts')
  const missing = missingSections({ type, text: description, criteria }, more)
  if (missing.length === 0) return
  const told = missing.map(({ heading, hint }) => `\n  - ## ${heading} (${hint})`).join('')
  const text = `missing required sections for ${type}:${told}`
  if (mode === 'error') throw inText(text)
  call.warn(`⚠ ${text}`)
}

/** The same of the reasons for closing. */
export async function checkReasons(call: BdCall, reasons: readonly string[]): Promise<void> {
  const mode = await setting(call, ON_CLOSE)
  if (mode !== 'error' && mode !== 'warn') return
  const { tersenessOf } = await import('../../../domain/task/rules/lint.ts')
  for (const reason of reasons) {
    const terse = tersenessOf(reason)
    if (terse === undefined) continue
    if (mode === 'error') throw new BdFailure(terse)
    call.warn(`⚠ ${terse}`)
  }
}

/** On a beads queue bd checks for itself what a person creates and closes. */
async function setting({ store }: BdCall, key: string): Promise<string | undefined> {
  return store.values.costly === true ? undefined : await store.values.get(key)
}
