import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A way to make git start a program, set up in a checkout with the committed file `kept.txt`. */
export interface Trap {
  /** Plants it; `program` writes a mark when it runs. */
  plant(checkout: PlantedCheckout, program: string): void
  /** A git command of a person that runs the program, which shows that the trap works. Absent: only git on a terminal does. */
  readonly control?: readonly string[]
}

interface PlantedCheckout {
  readonly root: string
  git(...argv: readonly string[]): string
  put(path: string, text: string, mode?: number): void
}

type Settings = (program: string) => Readonly<Record<string, string>>

/** `*.txt` goes through the filter or driver `trap`, and its time has changed, so that git has to read it. */
const ATTRIBUTES = '*.txt filter=trap diff=trap merge=trap\n'

const settings = (of: Settings, control?: readonly string[]): Trap => ({
  plant({ git, put }, program) {
    put('.gitattributes', ATTRIBUTES)
    for (const [key, value] of Object.entries(of(program))) git('config', key, value)
  },
  ...(control === undefined ? {} : { control }),
})

const STATUS = ['status']
const DIFF = ['diff', 'HEAD']
const SHOW_LOG = ['log', '-1']

/** The first blob is missing and has to be fetched, with the settings of the remote. */
const promisor = (of: Settings, control?: readonly string[]): Trap => ({
  plant({ root, git }, program) {
    const blob = git('rev-parse', 'HEAD:kept.txt')
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    const partial = {
      'core.repositoryformatversion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.promisor': 'true',
      'remote.origin.url': 'ssh://nowhere.invalid/x',
      'remote.origin.fetch': '+refs/heads/*:refs/remotes/origin/*',
    }
    for (const [key, value] of Object.entries({ ...partial, ...of(program) })) git('config', key, value)
  },
  ...(control === undefined ? {} : { control }),
})

const clean: Settings = (program) => ({ 'filter.trap.clean': program, 'filter.trap.required': 'false' })

const included = (key: string): Trap => ({
  plant({ root, git, put }, program) {
    put('.gitattributes', ATTRIBUTES)
    put('.git/more', `[filter "trap"]\n\tclean = "${program}"\n`)
    git('config', key, join(root, '.git/more'))
  },
  control: STATUS,
})

const hook = (folder: string, set: Readonly<Record<string, string>>): Trap => ({
  plant({ git, put }, program) {
    for (const name of ['post-index-change', 'reference-transaction', 'post-checkout', 'fsmonitor-watchman']) {
      put(join(folder, name), `#!/bin/sh\nexec '${program}'\n`, 0o755)
    }
    for (const [key, value] of Object.entries(set)) git('config', key, value)
  },
  control: STATUS,
})

export const TRAPS: Readonly<Record<string, Trap>> = {
  'a clean filter': settings(clean, STATUS),
  'a filter process': settings(
    (program) => ({ 'filter.trap.process': program, 'filter.trap.required': 'true' }),
    STATUS,
  ),
  'a smudge filter': settings((program) => ({ 'filter.trap.smudge': program }), ['checkout', 'HEAD', '--', 'kept.txt']),
  'a filter in the attributes of .git': {
    plant({ git, put }, program) {
      put('.git/info/attributes', ATTRIBUTES)
      git('config', 'filter.trap.clean', program)
    },
    control: STATUS,
  },
  'an included configuration': included('include.path'),
  'an included configuration on a condition': included('includeIf.gitdir:/**.path'),
  'the configuration of a worktree': {
    plant({ git, put }, program) {
      put('.gitattributes', ATTRIBUTES)
      git('config', 'core.repositoryformatversion', '1')
      git('config', 'extensions.worktreeConfig', 'true')
      git('config', '--worktree', 'filter.trap.clean', program)
    },
    control: STATUS,
  },
  'a file system monitor': settings((program) => ({ 'core.fsmonitor': program }), STATUS),
  hooks: hook('.git/hooks', {}),
  'a folder of hooks': hook('traps', { 'core.hooksPath': 'traps' }),
  'a pager': settings((program) => ({ 'core.pager': program, 'pager.status': program, 'pager.diff': program })),
  'an external diff': settings((program) => ({ 'diff.external': program }), DIFF),
  'a diff driver': settings((program) => ({ 'diff.trap.command': program }), DIFF),
  'a text conversion': settings(
    (program) => ({ 'diff.trap.textconv': program, 'diff.trap.cachetextconv': 'true' }),
    DIFF,
  ),
  'a merge driver': settings((program) => ({ 'merge.trap.driver': program })),
  'a signature program': {
    plant({ git }, program) {
      const commit = git('cat-file', 'commit', 'HEAD')
      const signed = commit.replace(
        '\n\n',
        '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n\n',
      )
      const made = execFileSync('git', ['hash-object', '-w', '-t', 'commit', '--stdin'], {
        cwd: git('rev-parse', '--show-toplevel'),
        input: `${signed}\n`,
        encoding: 'utf8',
      }).trim()
      git('update-ref', 'HEAD', made)
      git('config', 'log.showSignature', 'true')
      git('config', 'gpg.program', program)
    },
    control: SHOW_LOG,
  },
  aliases: settings((program) => ({
    'alias.status': `!${program}`,
    'alias.diff': `!${program}`,
    'alias.log': `!${program}`,
    'alias.ls-files': `!${program}`,
    'alias.for-each-ref': `!${program}`,
  })),
  'editors and questions': settings((program) => ({
    'core.editor': program,
    'sequence.editor': program,
    'core.askPass': program,
    'credential.helper': program,
  })),
  'an ssh command for missing objects': promisor((program) => ({ 'core.sshCommand': program }), DIFF),
  'an upload program for missing objects': promisor(
    (program) => ({ 'remote.origin.url': 'file:///', 'remote.origin.uploadpack': program }),
    DIFF,
  ),
  'a remote that is a program': promisor(
    (program) => ({ 'remote.origin.url': `ext::${program}`, 'protocol.ext.allow': 'always' }),
    DIFF,
  ),
  'the configuration of a submodule': {
    plant({ root, git, put }, program) {
      const inner = join(root, 'inner')
      git('init', '-q', inner)
      put('inner/kept.txt', 'old\n')
      const within = (...argv: string[]) => git('-C', inner, ...argv)
      within('add', '.')
      within('commit', '-q', '-m', 'Inner')
      put('.gitmodules', '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n')
      git('add', 'inner', '.gitmodules')
      put('inner/.gitattributes', ATTRIBUTES)
      within('config', 'filter.trap.clean', program)
      within('config', 'core.fsmonitor', program)
      put('inner/kept.txt', 'OLD\n')
    },
    control: STATUS,
  },
  'another working directory': {
    plant({ root, git, put }, program) {
      const elsewhere = join(dirname(root), 'elsewhere')
      mkdirSync(elsewhere, { recursive: true })
      put('.gitattributes', ATTRIBUTES)
      writeFileSync(join(elsewhere, '.gitattributes'), ATTRIBUTES)
      writeFileSync(join(elsewhere, 'kept.txt'), 'OLD\n')
      git('config', 'filter.trap.clean', program)
      git('config', 'core.worktree', elsewhere)
    },
    control: STATUS,
  },
  'a repository that calls itself bare': settings((program) => ({ 'core.bare': 'true', ...clean(program) })),
  'objects of another repository': {
    plant({ root, git, put }, program) {
      const other = join(dirname(root), 'other')
      git('init', '-q', other)
      git('-C', other, 'config', 'core.alternateRefsCommand', program)
      git('config', 'core.alternateRefsCommand', program)
      put('.git/objects/info/alternates', `${other}/.git/objects\n`)
    },
  },
}

/** A checkout with one committed file, and a program that leaves a mark in the folder `marks`. */
export function trappedCheckout(folder: string): { checkout: PlantedCheckout; program: string; marks(): string[] } {
  const root = join(folder, 'project')
  const checkout = plantedCheckout(root)
  mkdirSync(root)
  checkout.git('init', '-q', '-b', 'main')
  checkout.put('kept.txt', 'old\n')
  checkout.git('add', '.')
  checkout.git('commit', '-q', '-m', 'First')
  const marks = join(folder, 'marks')
  mkdirSync(marks)
  return { checkout, program: trapProgram(folder), marks: () => readdirSync(marks) }
}

/** Marks with its environment, so that a test also sees what it would have got. */
export function trapProgram(folder: string): string {
  const program = join(folder, 'trap')
  writeFileSync(program, `#!/bin/sh\nenv >'${folder}/marks/'$$\nexit 1\n`, { mode: 0o755 })
  return program
}

function plantedCheckout(root: string): PlantedCheckout {
  return {
    root,
    git(...argv) {
      const done = spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...argv], {
        cwd: root,
        encoding: 'utf8',
      })
      if (done.status !== 0) throw new Error(`git ${argv.join(' ')}: ${done.stderr}`)
      return done.stdout.trim()
    },
    put(path, text, mode) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text, { mode })
    },
  }
}
