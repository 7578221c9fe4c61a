/** Beginnings of single tests, and marks that switch one off. */
const TEST =
  /^[ \t]*(?:(?:it|test|specify|scenario)(?:\.\w+)*\s*[(`]|(?:async )?def test_|func Test\w|#\[(?:\w+::)?test\b|@(?:Parameterized)?Test\b|\[(?:Fact|Theory|Test|TestMethod)\b|(?:it|test|scenario|specify) ["'])/gm
const SKIP =
  /\b(?:it|test|describe|context|suite)\.(?:skip|todo|fails|only|failing)\b|\bx(?:it|test|describe|context)\s*\(|\bf(?:it|describe)\s*\(|@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip|expectedFailure)|Disabled|Ignore)\b|\bpytest\.skip\(|\bt\.Skip(?:f|Now)?\(|#\[ignore\b|\[(?:Ignore|Skip)\b|Skip\s*=\s*"|^[ \t]*(?:skip|pending|xit) /gm

export interface TestCounts {
  /** Tests that were there before and are not any more. */
  readonly removed: number
  /** Marks that switch tests off, and were not there before. */
  readonly skipped: number
}

export interface TextBefore {
  readonly path: string
  readonly text: string
}

const NO_CODE =
  /\.(?:md|mdx|markdown|rst|adoc|txt|log|html?|css|s[ac]ss|less|json|jsonl|ya?ml|toml|lock|svg|csv|tsv|xml|snap|map)$/i

/** Prose and data tell of tests, and are none. */
export function mayHaveTests(path: string): boolean {
  return !NO_CODE.test(path)
}

/**
 * From the texts of files before and after, '' for none. In all of them together, because tests move from file to file. A
 * count, not a proof: it reads no language.
 */
export function testCounts(files: readonly { readonly before: string; readonly after: string }[]): TestCounts {
  let [removed, skipped] = [0, 0]
  for (const { before, after } of files) {
    if (before.includes('\0') || after.includes('\0')) continue
    removed += count(before, TEST) - count(after, TEST)
    skipped += count(after, SKIP) - count(before, SKIP)
  }
  return { removed: Math.max(0, removed), skipped: Math.max(0, skipped) }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
