import { GUARDS } from '../../src/domain/verify/guards.ts'

const KINDS = {
  test: 'Tests and what they compare with',
  ci: 'CI',
  configuration: 'Configuration of tests, builds and tools',
} as const

/** docs/reference/guarded-files.md: the files that are verified with their base version, from their table. */
export function guardedFilesReference(): string {
  const parts = Object.entries(KINDS).map(([kind, title]) => {
    const rows = GUARDS.filter((guard) => guard.kind === kind).map(({ of, patterns, anyCase }) => {
      const names = patterns.map((pattern) => `\`${pattern}\``).join(' ')
      return `| ${of}${anyCase ? ' (in any case of letters)' : ''} | ${names.replaceAll('|', '\\|')} |`
    })
    return `## ${title}\n\n| of | patterns |\n|---|---|\n${rows.join('\n')}\n`
  })
  return `# Files that decide whether work passes

<!-- Generated from src/domain/verify/guards.ts by npm run docs. -->

Work that changes one of these files is [verified a second time](../guide/verification.md#when-the-work-changes-its-tests), with the version before the work. The patterns are read as in .gitignore, and \`{a,b}\` stands for either; one with a slash at its end means all that is in such folders. To them belong the scripts that the verify commands run themselves, also through package.json and Makefiles, and \`.git/info/exclude\`.

\`tamper_include\` of a project adds patterns of your own, and takes files out with \`!\`: \`projects."~/shop".tamper_include = ["*.golden", "!go.mod"]\`.

${parts.join('\n')}`
}
