import { plainLine } from '../../../domain/text/plain.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { commandHelp } from '../help.ts'
import { atLeast, exactly } from '../parts/arguments.ts'
import { checkLabelLength, warnOfSpaces } from '../parts/issue-input.ts'
import { resolveSaying } from '../parts/resolve.ts'

const EDITS = {
  add: { status: 'added', said: 'Added', to: 'to' },
  remove: { status: 'removed', said: 'Removed', to: 'from' },
} as const

function edit(name: keyof typeof EDITS): BdCommand {
  return {
    name,
    summary: `${name === 'add' ? 'Add' : 'Remove'} one or more labels ${EDITS[name].to} one or more issues`,
    usage: '[issue-id...] [label[,label...]] [flags]',
    about: `Issue ids come first; the final word is the label, or several separated by commas:
fleet bd label ${name} fleet-123 label1,label2`,
    flags: [],
    async run(call) {
      const given = atLeast(call, 2)
      const labels = labelsIn(given.at(-1) ?? '')
      if (labels.length === 0) throw new BdFailure('label cannot be empty')
      if (name === 'add') check(call, labels)
      const ids = await resolveAll(call, given.slice(0, -1), name)
      for (const id of ids) {
        await call.store.update(id, name === 'add' ? { addLabels: labels } : { removeLabels: labels }, call.actor)
      }
      report(call, { ids, labels, name })
    },
  }
}

function labelsIn(text: string): string[] {
  return text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')
}

function check(call: BdCall, labels: readonly string[]): void {
  for (const label of labels) {
    if (label.startsWith('provides:')) {
      const capability = label.slice('provides:'.length)
      throw new BdFailure(
        `'provides:' labels are reserved for cross-project capabilities, which fleet does not keep: give ${capability} another label`,
      )
    }
    checkLabelLength(label)
  }
  warnOfSpaces(call, labels)
}

/** If one of several ids is unknown, the user most likely separated labels with spaces. */
async function resolveAll(call: BdCall, texts: readonly string[], name: string): Promise<string[]> {
  const ids: string[] = []
  for (const text of texts) {
    try {
      ids.push(await resolveSaying(call, text, `resolving issue ID ${JSON.stringify(text)}`))
    } catch (error) {
      if (!(error instanceof BdFailure) || texts.length === 1) throw error
      const advice = `to ${name} multiple labels, pass one comma-separated argument: bd label ${name} <issue-id> label1,label2`
      throw new BdFailure(`${error.message} (${advice})`)
    }
  }
  return ids
}

interface Edited {
  readonly ids: readonly string[]
  readonly labels: readonly string[]
  readonly name: keyof typeof EDITS
}

function report(call: BdCall, { ids, labels, name }: Edited): void {
  const { status, said, to } = EDITS[name]
  const rows = ids.flatMap((issue_id) => labels.map((label) => ({ issue_id, label, status })))
  const shown = `${labels.length > 1 ? 'labels' : 'label'} '${labels.map(plainLine).join("', '")}'`
  if (call.json) call.answer(rows)
  else for (const id of ids) call.print(`✓ ${said} ${shown} ${to} ${id}`)
}

const list: BdCommand = {
  name: 'list',
  summary: 'List labels for an issue',
  usage: '[issue-id] [flags]',
  flags: [],
  reads: true,
  async run(call) {
    const [typed] = exactly(call, 1) as [string]
    const id = await resolveSaying(call, typed, `resolving ${typed}`)
    const labels = (await call.store.get(id))?.labels ?? []
    if (call.json) return call.answer(labels)
    if (labels.length === 0) return call.print(`\n${id} has no labels`)
    call.print(`\n🏷 Labels for ${id}:`)
    for (const each of labels) call.print(`  - ${plainLine(each)}`)
    call.print('')
  },
}

const listAll: BdCommand = {
  name: 'list-all',
  summary: 'List all unique labels in the database',
  usage: '[flags]',
  flags: [],
  reads: true,
  async run(call) {
    const all = await call.store.labels()
    if (call.json) return call.answer(all.map(({ label, count }) => ({ label, count })))
    if (all.length === 0) return call.print('\nNo labels found in database')
    call.print(`\n🏷 All labels (${all.length} unique):`)
    const shown = all.map(({ label, count }) => ({ label: plainLine(label), count }))
    const width = Math.max(...shown.map(({ label }) => label.length))
    for (const { label, count } of shown) call.print(`  ${label.padEnd(width)}  (${count} issues)`)
    call.print('')
  },
}

const propagate: BdCommand = {
  name: 'propagate',
  summary: 'Propagate a label from a parent issue to all its children',
  usage: '[parent-id] [label] [flags]',
  flags: [],
  async run(call) {
    const [typed, given] = exactly(call, 2) as [string, string]
    const parent = await resolveSaying(call, typed, `resolving parent ${typed}`)
    const label = given.trim()
    if (label === '') throw new BdFailure('label cannot be empty')
    check(call, [label])
    const children: string[] = []
    for await (const child of call.store.find({ parent, sort: 'priority' })) children.push(child.id)
    for (const id of children) await call.store.update(id, { addLabels: [label] }, call.actor)
    if (call.json) return call.answer(children.map((issue_id) => ({ issue_id, label, status: 'propagated' })))
    if (children.length === 0) return call.print(`No children found for ${parent}`)
    for (const id of children) call.print(`✓ Propagated label '${plainLine(label)}' to ${id}`)
  },
}

export const label: BdCommand = {
  name: 'label',
  summary: 'Manage issue labels',
  usage: '[command]',
  flags: [],
  subcommands: [edit('add'), edit('remove'), list, listAll, propagate],
  async run(call) {
    call.print(commandHelp(label, ['label']).trimEnd())
  },
}
