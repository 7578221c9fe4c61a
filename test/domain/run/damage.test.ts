import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Damage,
  damageBehind,
  damageText,
  destroyedText,
  type Entry,
  harmOf,
  isAgentsDoing,
  type Part,
  partsOfRun,
  TASK_PARTS,
  unusableText,
  withDamage,
} from '../../../src/domain/run/damage.ts'

const FILE: Part = { path: 'attempts/1/launch.json', kind: 'file', needed: true }
const FOLDER: Part = { path: 'inbox', kind: 'folder', needed: true }

type Found = Exclude<Entry, { is: 'nothing' | 'unseen' }>
const file: Found = { is: 'file', mode: 0o600, links: 1, isForeign: false, refuses: undefined }
const folder: Found = { is: 'folder', mode: 0o700, links: 3, isForeign: false, refuses: undefined }

test.each<[Part, Entry, ReturnType<typeof harmOf>]>([
  [FILE, file, undefined],
  [FOLDER, folder, undefined],
  [FOLDER, { ...folder, mode: 0o755 }, undefined],
  [FILE, { is: 'nothing' }, 'removed'],
  [{ ...FILE, needed: false }, { is: 'nothing' }, undefined],
  [FILE, { ...file, mode: 0 }, 'locked'],
  [FILE, { ...file, mode: 0o400 }, 'locked'],
  [FOLDER, { ...folder, mode: 0o600 }, 'locked'],
  [FILE, { ...file, links: 2 }, 'linked'],
  [FILE, { ...file, isForeign: true }, 'given-away'],
  [FILE, { ...file, refuses: 'EPERM' }, 'immutable'],
  [FILE, { ...file, refuses: 'EROFS' }, { code: 'EROFS' }],
  [FILE, { is: 'unseen', code: 'ENOTCONN' }, { code: 'ENOTCONN' }],
  [FILE, folder, 'a folder'],
  [FOLDER, file, 'a file'],
  [FILE, { ...file, is: 'pipe' }, 'a pipe'],
  [FOLDER, { ...file, is: 'link' }, 'a link'],
  [FILE, { ...file, is: 'socket' }, 'a socket'],
  [FILE, { ...file, is: 'device' }, 'a device'],
])('%j as %j is harmed: %j', (part, entry, harm) => {
  expect(harmOf(part, entry)).toEqual(harm)
})

test('a part is unharmed only as the kind of thing that fleet made, usable by its owner, with one name', () => {
  const kinds = ['file', 'folder', 'link', 'pipe', 'socket', 'device'] as const
  const found = fc.record({
    is: fc.constantFrom(...kinds),
    mode: fc.integer({ min: 0, max: 0o777 }),
    links: fc.integer({ min: 1, max: 3 }),
    isForeign: fc.boolean(),
    refuses: fc.constantFrom(undefined, 'EPERM', 'EACCES', 'EROFS'),
  })
  fc.assert(
    fc.property(fc.constantFrom(FILE, FOLDER), found, (part, entry) => {
      const own = part.kind === 'file' ? 0o600 : 0o700
      const isSound =
        entry.is === part.kind &&
        (entry.mode & own) === own &&
        (part.kind === 'folder' || entry.links === 1) &&
        !entry.isForeign &&
        entry.refuses === undefined
      expect(harmOf(part, entry) === undefined).toBe(isSound)
    }),
  )
})

describe('an error in the folder of a task', () => {
  const HOME = '/home/anna/.fleet/tasks/fleet-a1'

  test('that only an agent can cause is damage, and names the part', () => {
    expect(damageBehind({ code: 'EACCES', path: `${HOME}/inbox` }, HOME)).toEqual({
      path: 'inbox',
      harm: { code: 'EACCES' },
      isRepaired: false,
    })
    expect(damageBehind({ code: 'ENOTDIR', path: HOME }, HOME)?.path).toBe('')
  })

  test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', undefined])(
    'of code %s is trouble of the machine',
    (code) => {
      expect(isAgentsDoing(code)).toBe(false)
      expect(damageBehind({ code, path: `${HOME}/inbox` }, HOME)).toBe(undefined)
    },
  )

  test.each(['/home/anna/project/x', `${HOME}0/inbox`, '/home/anna/.fleet/tasks', undefined])(
    'is no damage at %s, which is elsewhere',
    (path) => expect(damageBehind({ code: 'EACCES', path }, HOME)).toBe(undefined),
  )
})

test('the folders of a part come before it, so that they are repaired first', () => {
  for (const parts of [TASK_PARTS, partsOfRun({ attempt: 3, hasBegun: true })]) {
    const paths = parts.map(({ path }) => path)
    for (const [at, path] of paths.entries()) {
      const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
      if (path !== '') expect(paths.indexOf(above)).toBeLessThan(at)
    }
  }
})

const damage = (path: string, harm: Damage['harm'], isRepaired = true): Damage => ({ path, harm, isRepaired })

test('the outcome names three parts and counts the rest', () => {
  const all = [
    damage('attempts', 'locked'),
    damage('inbox', 'a pipe'),
    damage('artifacts', { code: 'EROFS' }),
    damage('work', 'removed'),
  ]
  expect(destroyedText(all)).toBe(
    'evidence of its run was destroyed: attempts was made unreadable, inbox was replaced by a pipe, artifacts was made unusable (EROFS), 1 more',
  )
  expect(damageText(damage('', 'given-away'))).toBe('the folder of its task was given to another user')
})

test('a folder that cannot be repaired is named with the next step', () => {
  const all = [damage('inbox', 'a pipe'), damage('attempts', 'immutable', false)]
  expect(unusableText(all, { folder: '/h/tasks/fleet-a1', task: 'fleet-a1' })).toBe(
    'its folder cannot be used, because attempts was made immutable: move /h/tasks/fleet-a1/attempts away, then run fleet retry fleet-a1',
  )
})

test('each part is told once, as it was found first', () => {
  const first = [damage('inbox', 'a pipe')]
  expect(withDamage(first, [damage('inbox', 'removed'), damage('work', 'locked')])).toEqual([
    damage('inbox', 'a pipe'),
    damage('work', 'locked'),
  ])
})
