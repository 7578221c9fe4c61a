import { AppError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { SCRIPTS } from '../completion/scripts.ts'
import { candidatesFor } from '../completion/words.ts'

const SHELLS = Object.keys(SCRIPTS)

const words: Command = {
  name: 'words',
  summary: 'the words that may follow; the scripts call it',
  usage: '-- <word>...',
  about: `The words that may stand where the last of these is typed, after fleet, one a line, with what each stands for after a
tab. The scripts of bash, zsh and fish call it.`,
  examples: ['fleet completion words -- show ""'],
  flags: [{ name: 'json', kind: 'switch', help: 'one JSON array: word, about' }],
  async run({ home, flags, args, print, answer }) {
    const found = await candidatesFor(home, args)
    if (flags.on('json')) return answer(found)
    for (const { word, about } of found) print(about === undefined ? word : `${word}\t${about}`)
  },
}

export const completion: Command = {
  name: 'completion',
  summary: 'completion for your shell: bash, zsh or fish',
  usage: SHELLS.join('|'),
  about: `Prints the script that completes commands, flags, task ids, coders and settings in your shell.

  bash   fleet completion bash >> ~/.bashrc
  zsh    fleet completion zsh > "\${fpath[1]}/_fleet"
  fish   fleet completion fish > ~/.config/fish/completions/fleet.fish`,
  examples: ['source <(fleet completion bash)'],
  flags: [],
  subcommands: [
    ...Object.entries(SCRIPTS).map(
      ([name, script]): Command => ({
        name,
        summary: `the script for ${name}`,
        usage: '',
        flags: [],
        async run({ args, print }) {
          if (args.length > 0) throw new AppError('usage', `fleet completion ${name} takes no arguments`)
          print(script.trimEnd())
        },
      }),
    ),
    words,
  ],
  async run({ args: [shell] }) {
    throw new AppError(
      'usage',
      shell === undefined ? 'fleet completion takes a shell' : `there is no completion for ${JSON.stringify(shell)}`,
      { hint: `fleet completion ${SHELLS.join('|')}` },
    )
  },
}
