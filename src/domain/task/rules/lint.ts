import type { Task } from '../task.ts'

/** The sections that a description should have, by type: bd's, and those that the configuration adds. */

interface Section {
  readonly heading: string
  readonly hint: string
}

const ACCEPTANCE = 'Acceptance Criteria'
const COMPLETION = { heading: ACCEPTANCE, hint: 'Define criteria to verify completion' }

const SECTIONS: Readonly<Record<string, readonly Section[]>> = {
  bug: [
    { heading: 'Steps to Reproduce', hint: 'Describe how to reproduce the bug' },
    { heading: ACCEPTANCE, hint: 'Define criteria to verify the fix' },
  ],
  task: [COMPLETION],
  feature: [COMPLETION],
  story: [COMPLETION],
  epic: [{ heading: 'Success Criteria', hint: 'Define high-level success criteria' }],
  decision: [
    { heading: 'Decision', hint: 'Summarize what was decided' },
    { heading: 'Rationale', hint: 'Explain why this option was chosen' },
    { heading: 'Alternatives Considered', hint: 'List alternatives and why they were rejected' },
  ],
  spike: [
    { heading: 'Goal', hint: 'What question does this spike answer?' },
    { heading: 'Findings', hint: 'What was learned? (fill in when complete)' },
  ],
}

/** Either is as good as the other. */
const CRITERIA = ['acceptance criteria', 'success criteria']

interface Linted {
  readonly type: string
  readonly text: string
  /** The task's own field for them, which needs no heading. */
  readonly criteria: string
}

/** `more`: the headings that `lint.sections.<type>` asks for, separated by commas. */
export function missingSections({ type, text, criteria }: Linted, more = ''): readonly Section[] {
  const said = `${text}\n${criteria}`.toLowerCase()
  return sectionsOf(type, more).filter(({ heading }) => {
    const words = heading.toLowerCase()
    if (said.includes(words)) return false
    if (!CRITERIA.includes(words)) return true
    return criteria === '' && !(type === 'epic' && said.includes('acceptance criteria'))
  })
}

function sectionsOf(type: string, more: string): readonly Section[] {
  const asked = more
    .split(',')
    .map((part) => part.trim().replace(/^#+/, '').trim())
    .filter((heading) => heading !== '')
    .map((heading) => ({ heading, hint: `Required by lint.sections.${type} config` }))
  const all = new Map<string, Section>()
  for (const section of [...((Object.hasOwn(SECTIONS, type) ? SECTIONS[type] : undefined) ?? []), ...asked]) {
    const key = section.heading.toLowerCase()
    if (!all.has(key)) all.set(key, section)
  }
  return [...all.values()]
}

export function missingIn(task: Pick<Task, 'issue_type' | 'description' | 'acceptance_criteria'>, more = '') {
  const { issue_type: type, description: text, acceptance_criteria: criteria } = task
  return missingSections({ type, text, criteria }, more)
}

/** Why a reason of closing says too little, in bd's words; undefined: it says enough. */
export function tersenessOf(reason: string): string | undefined {
  const text = reason.trim()
  if (text === '' || text.toLowerCase() === 'closed') {
    return 'close reason is empty or default; provide a summary of what was done'
  }
  const length = Buffer.byteLength(text)
  return length < 20
    ? `close reason is terse (${length} chars); aim for 20+ characters describing what was done`
    : undefined
}
