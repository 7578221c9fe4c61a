import type { Inside } from './bwrap.ts'
import type { RuleInForce } from './rules.ts'

/**
 * The profile for sandbox-exec on macOS. The last rule that fits holds, so the outer rules come first. Names and sizes of
 * hidden files can be seen, because a path is looked up through all of its folders. Untried: it was never run on a Mac.
 */
export function seatbeltProfile({ rules, network }: Pick<Inside, 'rules' | 'network'>): string {
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (subpath "/dev"))',
    // The temporary folders of the user, which programs of the system ask for by name and not by TMPDIR.
    '(allow file-write* (subpath "/private/var/folders"))',
    ...rules.flatMap(lines),
    ...(network === 'off' ? ['(deny network*)'] : []),
    '',
  ].join('\n')
}

export function seatbeltArgv(inside: Inside): readonly string[] {
  return ['/usr/bin/sandbox-exec', '-p', seatbeltProfile(inside), inside.program, ...inside.args]
}

function lines({ path, access, from, isFixed }: RuleInForce): string[] {
  // Nothing can be shown in another place: TMPDIR says where the run's own is.
  if (from !== undefined) return []
  const where = `(subpath ${quoted(path)})`
  if (isFixed === true) return [`(deny file-write-unlink (literal ${quoted(path)}))`]
  if (access === 'write') return [`(allow file-read-data file-write* ${where})`]
  if (access === 'read') return [`(allow file-read-data ${where})`, `(deny file-write* ${where})`]
  return [`(deny file-read-data file-write* ${where})`]
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
