import type { Home } from '../../platform/files/home.ts'
import { type Candidate, coderCandidates, keyCandidates, taskCandidates } from '../../views/completion.ts'
import { COMMANDS, SHORT_FOR } from '../registry.ts'
import { type Place, placeOf, type Table } from './position.ts'

/** The words that may stand where the last of these is typed, after `fleet`. */
export async function candidatesFor(home: Home, words: readonly string[]): Promise<readonly Candidate[]> {
  const word = words.at(-1) ?? ''
  const found = await all(home, expanded(words))
  return found.filter((candidate) => candidate.word.startsWith(word))
}

/** `fleet create` is `fleet bd create`, and `fleet help x` knows the words of `fleet x`. */
function expanded(words: readonly string[]): readonly string[] {
  const [name = '', ...rest] = words
  if (rest.length === 0) return words
  if (name === 'help') return expanded(rest)
  return [...(SHORT_FOR[name] ?? [name]), ...rest]
}

async function all(home: Home, words: readonly string[]): Promise<readonly Candidate[]> {
  const [name = '', ...rest] = words
  if (rest.length === 0) {
    const names = [...COMMANDS.map((each) => each.name), ...Object.keys(SHORT_FOR), 'bd', 'help', 'version']
    return names.map((each) => ({ word: each }))
  }
  return name === 'bd' ? await inBd(home, rest) : await inFleet(home, name, rest)
}

async function inFleet(home: Home, name: string, words: readonly string[]): Promise<readonly Candidate[]> {
  const command = await COMMANDS.find((each) => each.name === name)?.load()
  const sub = words.length > 1 ? command?.subcommands?.find((each) => each.name === words[0]) : undefined
  if (sub !== undefined) return await at(home, sub, words.slice(1))
  return command === undefined ? [] : await at(home, command, words)
}

async function inBd(home: Home, words: readonly string[]): Promise<readonly Candidate[]> {
  const { COMMANDS: served } = await import('../bd/registry.ts')
  const [name = '', ...rest] = words
  if (rest.length === 0) return served.flatMap(({ names }) => names.map((word) => ({ word })))
  const command = await served.find(({ names }) => names.includes(name))?.load()
  if (command === undefined) return []
  const sub = rest.length > 1 ? command.subcommands?.find((each) => each.name === rest[0]) : undefined
  return sub === undefined ? await at(home, command, rest) : await at(home, sub, rest.slice(1))
}

async function at(home: Home, table: Table, words: readonly string[]): Promise<readonly Candidate[]> {
  const place = placeOf(table, words)
  if (place.kind === 'flags') {
    const shown = table.flags.filter(({ hidden }) => hidden !== true)
    return [...shown.map(({ name, help }) => ({ word: `--${name}`, about: help })), { word: '--help' }]
  }
  return place.kind === 'words' ? place.words.map((word) => ({ word })) : await KINDS[place.kind](home)
}

const KINDS: Readonly<
  Record<Exclude<Place['kind'], 'words' | 'flags'>, (home: Home) => Promise<readonly Candidate[]>>
> = {
  task: taskCandidates,
  coder: coderCandidates,
  key: keyCandidates,
  // The shell puts no blank after a word that ends in =.
  assignment: async (home) => (await keyCandidates(home)).map(({ word }) => ({ word: `${word}=` })),
  other: async () => [],
}
