import { type Script, step } from '../harness.ts'

const created = 'create prints one line with what fleet recorded'
const hint = 'the hint names near ids, not a Dolt history'
const undated = 'bd gives its short neighbours the dates of the year 1'

const TASKS = [
  step('create "Build the shop" -t epic -p 1', { save: 'epic', differs: created }),
  step('create "Search box" --parent {epic} -p 0 -l ui --estimate 30', { save: 'search', differs: created }),
  step(
    `create "Fix the cart" -p 3 -t bug -a bob -d "It loses things" --design plain --notes soon --acceptance "It keeps things" --external-ref gh-9 --spec-id S-1 --due 2030-01-02 --metadata '{"size":3,"team":"web"}'`,
    { save: 'cart', differs: created },
  ),
  step('create "Ship it" -p 2 --deps {cart}', { save: 'ship', differs: created }),
  step('create "Look further" -p 4 --deps discovered-from:{ship}', { save: 'further', differs: created }),
]

export const scripts: readonly Script[] = [
  {
    name: 'show prints everything about an issue',
    steps: [
      ...TASKS,
      step('comment {cart} "It also loses coupons"'),
      step('show {epic}'),
      step('show {search} --long'),
      step('show {cart}'),
      step('show {ship} {further}'),
      step('view {cart} --short'),
      step('show --id {cart} --refs'),
      step('show {epic} --children'),
      step('show {cart} --children'),
      step('show {ship} --refs'),
    ],
  },
  {
    name: 'show as JSON is always an array',
    steps: [
      ...TASKS,
      step('comment {cart} "It also loses coupons" --json'),
      step('show {cart} --json'),
      step('show {ship} {search} --json'),
      step('show {cart} --json --include-dependents --include-comments', { differs: undated }),
      step('show {epic} --json --include-dependents', { differs: undated }),
      step('show {ship} --json --brief-deps', { differs: undated }),
      step('show {cart} --json', { env: { BD_JSON_ENVELOPE: '1' } }),
      step('show {epic} --children --json'),
      step('show {cart} --refs --json'),
    ],
  },
  {
    name: 'show of a closed and of a claimed issue',
    steps: [
      ...TASKS,
      step('update {cart} --claim --actor bob'),
      step('show {cart}'),
      step('show --current --short --actor bob'),
      step('close {cart} --reason "Keeps things now" --actor bob'),
      step('show {cart} --long'),
      step('show {ship}'),
      step('show {cart} {ship} --short'),
    ],
  },
  {
    name: 'show of what is not there',
    steps: [
      ...TASKS,
      step('show'),
      step('show --json'),
      step('show nope', { differs: hint }),
      step('show nope --json', { differs: hint }),
      step('show {cart} nope --json', { differs: hint }),
      step('show {cart} nope --short', { differs: hint }),
      step('show nope --refs'),
      step('show {cart} --current'),
    ],
  },
]
