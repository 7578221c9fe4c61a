/** The number in what a program says of its version: `codex-cli 0.166.0`, `2.1.325 (Claude Code)`. */
export function versionIn(text: string): string | undefined {
  return /\d+(?:\.\d+)+[\w.+-]*/.exec(text)?.[0]
}
