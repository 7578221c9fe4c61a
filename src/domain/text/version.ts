/** The version number in a program's `--version` output: `codex-cli 0.166.0`, `2.1.325 (Claude Code)`. */
export function versionIn(text: string): string | undefined {
  return /\d+(?:\.\d+)+[\w.+-]*/.exec(text)?.[0]
}
