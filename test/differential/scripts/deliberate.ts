import { type Script, step } from '../harness.ts'

/** Where fleet refuses or accepts something that bd does not, so that the exit codes differ too. */
export const scripts: readonly Script[] = [
  {
    name: 'fleet refuses what would be lost or raced',
    steps: [
      step('create "blocker"', { save: 'a', differs: 'create prints one line with what fleet recorded' }),
      step('create "blocked" --deps {a}', {
        save: 'b',
        differs: 'create prints one line with what fleet recorded',
      }),
      step('update {b} --claim', { code: 1, differs: 'a task with open blockers is claimed only with --force' }),
      step('update {b} --claim --force'),
      step("create x --metadata '[1,2]'", {
        code: 1,
        differs: "metadata must be an object: a task's settings live in it",
      }),
      step("q '   '", { code: 1, differs: 'a blank title is refused by q too' }),
      step("create x --id 'fleet-../up'", { code: 1, differs: 'an id that could be a path is refused' }),
      step('show {a} --json'),
    ],
  },
]
