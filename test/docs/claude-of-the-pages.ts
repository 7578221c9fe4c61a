import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { STUB, type Step } from '../stub-agent/stub-as.ts'

/** The steps of the `claude` and `my-agent` in the pages, by task title; one list for each start. */
const WORK: Readonly<Record<string, readonly (readonly Step[])[]>> = {
  'Add a search box': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Read', input: { file_path: 'header.html' }, result: '<header></header>' },
      { write: '$FLEET_ARTIFACT_DIR/PLAN_AND_STATUS.md', text: '# Plan\n1. search.js, tried with three words\n' },
      { fleet: ['ask', 'Which results come first?', '--option', 'newest', '--option', 'best match'] },
      { claude: 'result', text: 'I asked, and stop here.' },
    ],
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Write', do: [{ write: 'search.js', text: 'export const search = () => []\n' }] },
      { fleet: ['done', 'search box in the header, newest first; tried it with three words'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  'Write its tests': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Write', do: [{ write: 'search.test.js', text: '// three tests\n' }] },
      { claude: 'tool', name: 'Bash', input: { command: 'node --test' }, result: 'pass 3' },
      { fleet: ['done', 'three tests, all pass'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  'Describe the search': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Write', do: [{ write: 'search.md', text: '# Search\n' }] },
      { fleet: ['done', 'one page'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  'Measure the search': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Write', do: [{ write: 'search.bench.js', text: '// 3 ms\n' }] },
      { fleet: ['done', '3 ms for a thousand pages'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Leaves its scope. */
  'Describe the cart': [
    [
      { claude: 'init' },
      {
        claude: 'tool',
        name: 'Write',
        input: { file_path: 'docs/cart.md' },
        do: [{ run: ['mkdir', 'docs'] }, { write: 'docs/cart.md', text: '# Cart\n' }],
      },
      {
        claude: 'tool',
        name: 'Write',
        input: { file_path: 'package.json' },
        do: [{ write: 'package.json', text: '{ "name": "shop" }\n' }],
      },
      {
        claude: 'tool',
        name: 'Bash',
        input: { command: 'npm pkg set name=shop' },
        do: [{ write: 'package.json', text: '{ "name": "shop" }\n' }],
      },
      { fleet: ['done', 'one page about the cart, linked from package.json'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  'Review the cart': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Write', do: [{ write: '$FLEET_ARTIFACT_DIR/review.md', text: '# Two mistakes\n' }] },
      { fleet: ['done', 'two mistakes, see review.md'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Sent back by a reviewer after the first attempt. */
  'Rename the cart': [
    [
      { claude: 'init' },
      {
        claude: 'tool',
        name: 'Edit',
        input: { file_path: 'cart.js' },
        do: [{ write: 'cart.js', text: 'export const basket = []\n' }],
      },
      { claude: 'subagent', what: 'check all callers', counts: 0 },
      { claude: 'tool', name: 'Bash', input: { command: 'node --check cart.js' } },
      { claude: 'text', text: 'cart is now basket everywhere; my helper checked all callers.' },
      { fleet: ['done', 'cart is now basket; all callers checked'] },
      { claude: 'result', text: 'Done.' },
    ],
    [
      { claude: 'init' },
      {
        claude: 'tool',
        name: 'Edit',
        do: [{ write: 'cart.js', text: 'export const basket = []\nexport { basket as cart }\n' }],
      },
      { fleet: ['done', 'kept cart as an alias of basket'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  'Rename greet to welcome': [
    [
      { claude: 'init' },
      {
        claude: 'tool',
        name: 'Edit',
        do: [
          { write: 'lib.sh', text: 'welcome() { echo hello; }\n' },
          { write: 'call-first.sh', text: '. ./lib.sh\nwelcome\n' },
          { write: 'RENAMED', text: 'greet is welcome now\n' },
        ],
      },
      { git: ['add', '-A'] },
      { git: ['commit', '-qm', 'Rename greet to welcome'] },
      { fleet: ['done', 'greet is welcome now, everywhere'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Hands in when the other has landed. */
  'Greet in the footer': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Write', do: [{ write: 'call-footer.sh', text: '. ./lib.sh\ngreet\n' }] },
      { git: ['add', '-A'] },
      { git: ['commit', '-qm', 'Greet in the footer'] },
      { waitFor: '$HOME/shop/RENAMED' },
      { fleet: ['done', 'the footer greets; sh check.sh passes'] },
      { claude: 'result', text: 'Done.' },
    ],
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Bash', input: { command: 'git rebase main' }, do: [{ git: ['rebase', '-q', 'main'] }] },
      { claude: 'tool', name: 'Edit', do: [{ write: 'call-footer.sh', text: '. ./lib.sh\nwelcome\n' }] },
      { git: ['commit', '-qam', 'Call welcome in the footer'] },
      { fleet: ['done', 'the footer calls welcome, on top of main'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** First claims to be done without any work; after the rejection, it works. */
  'Fix the login': [
    [
      { claude: 'init' },
      { claude: 'text', text: 'All 12 tests pass.' },
      { fleet: ['done', 'fixed, 12 of 12 tests pass'] },
      { claude: 'result', text: 'Done.' },
    ],
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Edit', do: [{ write: 'login.js', text: 'export const login = () => true\n' }] },
      { fleet: ['done', 'fixed the comparison in login.js'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  'Report what is slow': [
    [
      { claude: 'init' },
      {
        claude: 'tool',
        name: 'Bash',
        input: { command: 'node profile.mjs >../reports/slow.md' },
        do: [{ write: '$HOME/reports/slow.md', text: 'search: 3 ms\n' }],
      },
      { fleet: ['done', 'the search is slow: ../reports/slow.md'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Only looks, while a person changes a file. */
  'Check the links': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Bash', input: { command: 'node links.mjs' }, result: 'all links work' },
      // What it prints is looked at twice a second, and a call counts as open until then.
      { sleep: 3000 },
      { write: 'prices.js', text: 'export const prices = [7]\n' },
      { fleet: ['done', 'fixed all links'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Its first version is wrong; after the failed check, it is right. */
  'Add up a basket': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Write', do: [{ write: 'total.sh', text: 'echo $(($1 * $2))\n' }] },
      { fleet: ['done', 'total.sh adds up a basket, all tests pass'] },
      { claude: 'result', text: 'Done.' },
    ],
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Edit', do: [{ write: 'total.sh', text: 'echo $(($1 + $2))\n' }] },
      { fleet: ['done', 'it multiplied; now it adds, and the tests pass'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Changes the test instead of the work. */
  'Add a discount': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Edit', input: { file_path: 'total.sh' }, do: [{ write: 'total.sh', text: 'echo 4\n' }] },
      {
        claude: 'tool',
        name: 'Edit',
        input: { file_path: 'tests/total.sh' },
        do: [{ write: 'tests/total.sh', text: 'echo "ok - 1 test"\n' }],
      },
      { fleet: ['done', 'every basket is a tenth cheaper, all tests pass'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Waits in its first tool until a person has told it something. */
  'Rename the basket': [
    [
      { claude: 'init' },
      {
        claude: 'tool',
        name: 'Bash',
        input: { command: 'grep -rn basket .' },
        do: [{ touch: '$HOME/.renaming' }, { waitFor: '$HOME/.told' }],
      },
      {
        claude: 'tool',
        name: 'Write',
        do: [{ write: 'cart.js', text: 'export const cart = []\nexport { cart as basket }\n' }],
      },
      { fleet: ['done', 'basket is cart now, and basket an alias of it'] },
      { claude: 'result', text: 'Done.' },
    ],
  ],
  /** Works until it is stopped. */
  'Move to the new API': [
    [
      { claude: 'init' },
      { claude: 'tool', name: 'Read', input: { file_path: 'api.js' }, result: 'export {}' },
      { claude: 'tool', name: 'Bash', input: { command: 'npm test' }, open: true },
      { touch: '$HOME/.at-work' },
      { hang: true },
    ],
  ],
}

/** Creates an executable that chooses its steps by the first line of its prompt. */
export function putAgentInto(bin: string, { name, base }: { name: string; base: string }): void {
  const folder = join(base, `${name}-work`)
  mkdirSync(folder)
  const cases = Object.entries(WORK).map(([title, starts], i) => {
    const script = join(folder, `${i}.json`)
    writeFileSync(script, JSON.stringify(starts))
    return `*'${title}'*) export STUB_SCRIPT='${script}' ;;`
  })
  const file = join(bin, name)
  writeFileSync(
    file,
    [
      '#!/bin/sh',
      `export STUB_VERSION='2.1.325 (Claude Code)' STUB_STARTS='${join(folder, 'starts.jsonl')}'`,
      `[ "$1" = --version ] || { read -r first; case "$first" in ${cases.join(' ')} esac; }`,
      `exec '${process.execPath}' '${STUB}' "$@"`,
      '',
    ].join('\n'),
  )
  chmodSync(file, 0o755)
}
