import { type Script, step } from '../harness.ts'
import { tasks } from './dep.ts'

const two = tasks(
  { id: 'fleet-aaa', title: 'Task A' },
  { id: 'fleet-bbb', title: 'Task B', issue_type: 'epic' },
  {
    id: 'fleet-bbb.1',
    title: 'Child',
    dependencies: [{ issue_id: 'fleet-bbb.1', depends_on_id: 'fleet-bbb', type: 'parent-child' }],
  },
)

const MARKDOWN = 'bd draws markdown with boxes of spaces; fleet prints the text as it is'

export const scripts: readonly Script[] = [
  {
    name: 'comments are added from words, stdin and files, and listed',
    steps: [
      step('import -', { stdin: two }),
      step('comment fleet-aaa Working on it'),
      step('comment aaa "with <b> & quotes" --json'),
      step('comment fleet-aaa --stdin', { stdin: 'two\nlines\n\n' }),
      step('comment fleet-aaa --file note.txt --json', { files: { 'note.txt': 'from a file\n' } }),
      step('comments add fleet-aaa more words'),
      step('comments add fleet-aaa -f note.txt -a alice --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('comments fleet-aaa --json'),
      step('comments fleet-aaa', { differs: MARKDOWN }),
      step('comments fleet-bbb'),
      step('comments fleet-bbb --json'),
      step('export'),
    ],
  },
  {
    name: 'a comment without text or task is refused',
    steps: [
      step('import -', { stdin: two }),
      step('comment'),
      step('comment fleet-aaa'),
      step('comment fleet-aaa ""'),
      step('comment fleet-aaa "  " --json'),
      step('comment zzzzzzzz hi'),
      step('comment zzzzzzzz hi --json'),
      step('comment list'),
      step('comment add fleet-aaa hi'),
      step('comment fleet-aaa --file missing.txt'),
      step('comment fleet-aaa --file note.txt hi', { files: { 'note.txt': 'x' } }),
      step('comment fleet-aaa --file note.txt --stdin'),
      step('comments'),
      step('comments list'),
      step('comments fleet-aaa add hi'),
      step('comments fleet-aaa hi --json'),
      step('comments zzzzzzzz'),
      step('comments add fleet-aaa'),
      step('comments add'),
      step('comments add zzzzzzzz hi'),
      step('comments fleet-aaa'),
    ],
  },
  {
    name: 'labels are added, listed and removed',
    steps: [
      step('import -', { stdin: two }),
      step('label list-all'),
      step('label list-all --json'),
      step('label add fleet-aaa one'),
      step('label add fleet-aaa one --json'),
      step('label add aaa bbb two,three'),
      step('label add fleet-aaa fleet-bbb "x y" --json'),
      step('label add fleet-aaa "q r" -q'),
      step('label list fleet-aaa'),
      step('label list fleet-aaa --json'),
      step('label list fleet-bbb.1'),
      step('label list fleet-bbb.1 --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('label list-all'),
      step('label list-all --json'),
      step('label remove fleet-aaa one'),
      step('label remove fleet-aaa one --json'),
      step('label remove fleet-aaa fleet-bbb two,three'),
      step('label propagate fleet-bbb branch:x'),
      step('label propagate fleet-bbb branch:x --json'),
      step('label propagate fleet-aaa branch:x'),
      step('export', { differs: 'a changed label counts as an update, so that an import elsewhere takes it' }),
    ],
  },
  {
    name: 'labels that are none, or for no task, are refused',
    steps: [
      step('import -', { stdin: two }),
      step('label add fleet-aaa'),
      step('label add fleet-aaa " , "'),
      step('label add zzzzzzzz z'),
      step('label add fleet-aaa one two --json'),
      step('label remove fleet-aaa zzzzzzzz z'),
      step('label add fleet-aaa provides:x', {
        differs: 'bd recommends a command or a flag that fleet does not serve',
      }),
      step(`label add fleet-aaa ${'x'.repeat(300)}`, { differs: 'fleet checks before it says which task' }),
      step('label list'),
      step('label list zzzzzzzz --json'),
      step('label list-all'),
    ],
  },
]
