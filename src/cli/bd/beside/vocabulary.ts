import { statusIcon } from '../../render/bd/issue.ts'
import type { BdCommand } from '../command.ts'
import { customStatuses, customTypes } from '../parts/configured.ts'

const STATUSES = [
  ['open', 'active', 'Available to work (default)'],
  ['in_progress', 'wip', 'Actively being worked on'],
  ['blocked', 'wip', 'Blocked by a dependency'],
  ['deferred', 'frozen', 'Deliberately put on ice for later'],
  ['closed', 'done', 'Completed'],
  ['pinned', 'frozen', 'Persistent, stays open indefinitely'],
  ['hooked', 'wip', "Attached to an agent's hook"],
] as const

/** A custom status has the sign of a built-in one that behaves like it. */
const LIKE: Readonly<Record<string, string>> = {
  active: 'open',
  wip: 'in_progress',
  done: 'closed',
  frozen: 'deferred',
}

export const statuses: BdCommand = {
  name: 'statuses',
  summary: 'List valid issue statuses',
  usage: '[flags]',
  about: 'List the statuses and their categories; fleet bd config set status.custom adds your own.',
  flags: [],
  reads: true,
  async run(call) {
    const own = await customStatuses(call)
    if (call.json) {
      const built = STATUSES.map(([name, category, description]) => ({
        name,
        category,
        icon: statusIcon(name),
        description,
      }))
      return call.answer({ built_in_statuses: built, ...(own.length === 0 ? {} : { custom_statuses: own }) })
    }
    call.print('Built-in statuses:')
    for (const [name, category, about] of STATUSES) {
      call.print(`  ${statusIcon(name)} ${name.padEnd(14)} [${category.padEnd(6)}]  ${about}`)
    }
    if (own.length === 0) {
      return call.print(
        '\nNo custom statuses configured.\nConfigure with: bd config set status.custom "name:category,..."\nCategories: active, wip, done, frozen',
      )
    }
    call.print('\nCustom statuses:')
    for (const { name, category } of own) {
      call.print(`  ${statusIcon(LIKE[category] ?? '')} ${name.padEnd(14)} [${category.padEnd(6)}]`)
    }
  },
}

const TYPES = [
  ['task', 'General work item (default)'],
  ['bug', 'Bug report or defect'],
  ['feature', 'New feature or enhancement'],
  ['chore', 'Maintenance or housekeeping'],
  ['epic', 'Large body of work spanning multiple issues'],
  ['decision', 'Architecture decision record (ADR)'],
  ['spike', 'Timeboxed investigation to reduce uncertainty before committing to a story'],
  ['story', "User story describing a feature from the user's perspective"],
  ['milestone', 'Marks completion of a set of related issues (contains no work itself)'],
] as const

export const types: BdCommand = {
  name: 'types',
  summary: 'List valid issue types',
  usage: '[flags]',
  about: 'List the issue types; fleet bd config set types.custom adds your own.',
  flags: [],
  refused: { sections: 'fleet bd lint says what is missing; fleet bd lint --help names the sections' },
  reads: true,
  async run(call) {
    const own = await customTypes(call)
    if (call.json) {
      const core = TYPES.map(([name, description]) => ({ name, description }))
      return call.answer({ core_types: core, ...(own.length === 0 ? {} : { custom_types: own }) })
    }
    call.print('Core work types (built-in):')
    for (const [name, about] of TYPES) call.print(`  ${name.padEnd(14)} ${about}`)
    if (own.length === 0) {
      return call.print('\nNo custom types configured.\nConfigure with: bd config set types.custom "type1,type2,..."')
    }
    call.print('\nConfigured custom types:')
    for (const name of own) call.print(`  ${name}`)
  },
}
