import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commaList, type Flag, FlagError, parseFlags } from '../../src/cli/flags.ts'

const KNOWN: readonly Flag[] = [
  { name: 'force', short: 'f', kind: 'switch', help: '' },
  { name: 'quiet', short: 'q', kind: 'switch', help: '' },
  { name: 'title', short: 't', kind: 'text', help: '', aliases: ['headline'] },
  { name: 'limit', short: 'n', kind: 'number', help: '' },
  { name: 'label', short: 'l', kind: 'list', help: '' },
  { name: 'reason', short: 'r', kind: 'many', help: '' },
  { name: 'watch', short: 'w', kind: 'text', bare: 'all', help: '' },
]

/** Every way to write a flag with a value. */
const SPELLINGS = {
  '--name=value': (name: string, value: string) => [`--${name}=${value}`],
  '--name value': (name: string, value: string) => [`--${name}`, value],
  '-n value': (name: string, value: string) => [`-${name[0]}`, value],
  '-n=value': (name: string, value: string) => [`-${name[0]}=${value}`],
  // An empty value, or one that begins with =, is ambiguous in this spelling.
  '-nvalue': (name: string, value: string) => (/^(=|$)/.test(value) ? [`-${name[0]}`, value] : [`-${name[0]}${value}`]),
} as const
const spelling = fc.constantFrom(...Object.values(SPELLINGS))
const text = fc.string({ unit: 'binary', maxLength: 12 })
const word = text.filter((each) => !each.startsWith('-') || each === '-')

describe('the flag parser', () => {
  test('keeps a value unchanged, however the flag is written', () => {
    fc.assert(
      fc.property(fc.constantFrom('title', 'reason'), text, spelling, (name, value, spell) => {
        const { flags, args } = parseFlags(spell(name, value), KNOWN)
        expect([flags.has(name), flags.text(name), flags.all(name), args]).toEqual([true, value, [value], []])
      }),
    )
  })

  test('accepts only whole numbers as numbers', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), spelling, (number, spell) => {
        const known: Flag[] = [{ name: 'limit', short: 'l', kind: 'number', help: '' }]
        expect(parseFlags(spell('limit', String(number)), known).flags.number('limit')).toBe(number)
      }),
    )
    fc.assert(
      fc.property(
        text.filter((each) => !/^[+-]?\d+$/.test(each)),
        (value) => {
          expect(() => parseFlags([`--limit=${value}`], KNOWN)).toThrow(/invalid argument .* for "-n, --limit" flag/s)
        },
      ),
    )
  })

  test('collects lists and repeated values in order; for other flags the last value wins', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), spelling, (values, spell) => {
        const argv = values.flatMap((value) => [...spell('reason', value), ...spell('title', value)])
        const { flags } = parseFlags(argv, KNOWN)
        expect([flags.all('reason'), flags.all('title')]).toEqual([values, values.slice(-1)])
        const lists = parseFlags(
          values.flatMap((value) => spell('label', quote(value))),
          KNOWN,
        )
        expect(lists.flags.all('label')).toEqual(values)
      }),
    )
  })

  test('keeps arguments in order among flags, and treats everything after -- as arguments', () => {
    const piece = fc.oneof(
      word.map((each) => ({ argv: [each], args: [each] })),
      fc
        .constantFrom(['-fq'], ['--force'], ['--quiet=false'], ['-w'], ['--title', '-x'], ['-n5'])
        .map((argv) => ({ argv, args: [] })),
    )
    fc.assert(
      fc.property(fc.array(piece), fc.array(text), (pieces, rest) => {
        const before = pieces.flatMap((each) => each.args as string[])
        const argv = pieces.flatMap((each) => each.argv)
        expect(parseFlags(argv, KNOWN).args).toEqual(before)
        expect(parseFlags([...argv, '--', ...rest], KNOWN).args).toEqual([...before, ...rest])
      }),
    )
  })

  test('reads grouped switches like switches one by one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('f', 'q'), { minLength: 1 }),
        text.filter((each) => !/^(=|$)/.test(each)),
        (letters, value) => {
          const together = parseFlags([`-${letters.join('')}t${value}`], KNOWN).flags
          const apart = parseFlags([...letters.map((letter) => `-${letter}`), '--title', value], KNOWN).flags
          for (const name of ['force', 'quiet', 'title']) expect(together.text(name)).toBe(apart.text(name))
        },
      ),
    )
  })

  test('reports an alias under the name it stands for', () => {
    const { flags } = parseFlags(['--headline', 'x'], KNOWN)
    expect([flags.text('title'), flags.has('headline')]).toEqual(['x', false])
  })

  test('returns flags or a FlagError for any input, never another error', () => {
    const awkward = fc.oneof(
      text,
      text.map((each) => `-${each}`),
      text.map((each) => `--${each}`),
      fc.constantFrom('-', '--', '-t', '--title', '-n', '--limit=', '-l'),
    )
    fc.assert(
      fc.property(fc.array(awkward), (argv) => {
        try {
          const { args } = parseFlags(argv, KNOWN)
          expect(args.every((arg) => argv.includes(arg))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(FlagError)
        }
      }),
    )
  })
})

const quote = (value: string) => `"${value.replaceAll('"', '""')}"`

describe('a comma list', () => {
  test('returns quoted values unchanged', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (parts) => {
        expect(commaList(parts.map(quote).join(','))).toEqual(parts)
      }),
    )
  })

  test('needs no quotes for a value without quote or comma', () => {
    fc.assert(
      fc.property(
        fc.array(
          text.filter((each) => !/[",]/.test(each)),
          { minLength: 1 },
        ),
        (parts) => {
          const joined = parts.join(',')
          expect(commaList(joined)).toEqual(joined === '' ? [] : parts)
        },
      ),
    )
  })
})
