import fc from 'fast-check'

/** Lines that no coder prints: recorded ones cut off or with junk inside, other JSON, noise. */
export function brokenLines(recorded: readonly string[]): fc.Arbitrary<string> {
  const line = fc.constantFrom(...recorded)
  const cut = fc.tuple(line, fc.nat()).map(([each, at]) => each.slice(0, at % each.length))
  const spliced = fc
    .tuple(line, fc.nat(), fc.string({ unit: 'binary' }))
    .map(([each, at, junk]) => each.slice(0, at % each.length) + junk + each.slice(at % each.length))
  return fc.oneof(cut, spliced, fc.json(), fc.string({ unit: 'binary' }))
}

const ODD = [null, true, 0, -1, 0.5, 1e300, '', 'x', [], {}, [null], ['x'], [[]], { x: 1 }, 'x'.repeat(10_000)]

/** Recorded lines with some values of another type; the fields that tell the kind of line stay. */
export function twistedLines(recorded: readonly string[], kinds: readonly string[] = ['type']): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...recorded), fc.infiniteStream(fc.tuple(fc.boolean(), fc.constantFrom(...ODD))))
    .map(([line, changes]) =>
      JSON.stringify(
        JSON.parse(line, (key, value) => {
          const [keep, other] = changes.next().value
          return key === '' || kinds.includes(key) || keep ? value : other
        }),
      ),
    )
}
