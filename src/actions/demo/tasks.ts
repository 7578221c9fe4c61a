/** One task of `fleet demo`: a small sales report, in three steps that wait for each other. */
export interface DemoTask {
  readonly key: string
  readonly title: string
  /** Keys of the tasks it waits for; they stand before it. */
  readonly needs: readonly string[]
  /** The file that it writes; the scripted agent names it, so that fleet can tell it from those of the others. */
  readonly writes: string
  /** For the scripted agent and the shell coder. */
  readonly script: string
  /** The scripted agent first says this and does nothing: fleet sees no work, and tries again. */
  readonly claimsFirst?: string
  /** The scripted agent asks this before it begins; without quotes. */
  readonly asks?: { readonly question: string; readonly options: readonly string[] }
  /** The same work for a coder with a model. */
  readonly prompt: string
}

const REGIONS = ['north', 'south', 'west'] as const
const ORDERS = 2000

export const DEMO_TASKS: readonly DemoTask[] = [
  ...REGIONS.map((region, i) => ordersOf(region, i + 1)),
  {
    key: 'totals',
    writes: 'totals.txt',
    title: 'Add up each region',
    needs: REGIONS,
    script: script(
      `for file in orders/*.csv; do`,
      `  awk -F, -v region="$(basename "$file" .csv)" 'NR > 1 { sum += $3 } END { print region, sum }' "$file"`,
      `done >totals.txt`,
      `sleep 1 # long enough to be seen`,
      `echo "totals of $(wc -l <totals.txt) regions"`,
    ),
    prompt:
      'Write totals.txt: for each file in orders/ one line with the region (the name of the file) and the sum of the column amount, as in "north 1234".',
  },
  {
    key: 'check',
    writes: 'check.txt',
    title: 'Check that no order is lost',
    needs: REGIONS,
    claimsFirst: 'nothing is lost',
    script: script(
      `lines=$(cat orders/*.csv | grep -vc '^order,')`,
      `different=$(for file in orders/*.csv; do grep -v '^order,' "$file" | sed "s|^|$file,|"; done | cut -d, -f1,2 | sort -u | wc -l)`,
      `sleep 0.7`,
      `test "$lines" -eq ${ORDERS * REGIONS.length} && test "$different" -eq "$lines"`,
      `echo "$lines orders, each of them once" >check.txt`,
      `cat check.txt`,
    ),
    prompt:
      'Check the files in orders/: every order number may occur once in its file. Write what you counted into check.txt, one line per file. If something is wrong, say so in it.',
  },
  {
    key: 'best',
    writes: 'best.txt',
    title: 'Find what sells best',
    needs: REGIONS,
    asks: {
      question: 'What sells best: the largest sum, or the most orders?',
      options: ['the largest sum', 'the most orders'],
    },
    script: script(
      `cat orders/*.csv | awk -F, '$1 != "order" { sold[$2] += $3 } END { for (each in sold) print sold[each], each }' | sort -rn >best.txt`,
      `sleep 0.8`,
      `echo "it is $(head -n 1 best.txt | cut -d' ' -f2)"`,
    ),
    prompt:
      'Write best.txt: for each product in the files of orders/ one line with the sum of its amounts and its name, the largest first.',
  },
  {
    key: 'report',
    writes: 'REPORT.md',
    title: 'Write the report',
    needs: ['totals', 'check', 'best'],
    script: script(
      `{`,
      `  echo '# Sales'`,
      `  echo`,
      `  sed 's/^/- /' totals.txt`,
      `  echo`,
      `  echo "Best of all: $(head -n 1 best.txt | cut -d' ' -f2)."`,
      `} >REPORT.md`,
      `if git rev-parse 2>/dev/null; then git add -A && git commit -qm 'Add the sales report'; fi`,
      `echo "REPORT.md has $(wc -l <REPORT.md) lines"`,
    ),
    prompt:
      'Write REPORT.md, at most ten lines, from totals.txt, check.txt and best.txt: the total of each region and what sells best. Then commit everything in git.',
  },
]

function ordersOf(region: string, seed: number): DemoTask {
  return {
    key: region,
    title: `Write the orders of the ${region}`,
    needs: [],
    writes: `orders/${region}.csv`,
    script: script(
      `mkdir -p orders`,
      `awk -v seed=${seed} 'BEGIN {`,
      `  srand(seed); split("tea coffee cocoa", product, " "); print "order,product,amount"`,
      `  for (i = 1; i <= ${ORDERS}; i++) printf "%d,%s,%d\\n", i, product[1 + int(rand() * 3)], 1 + int(rand() * 90)`,
      `}' >orders/${region}.csv`,
      `sleep ${0.8 + seed / 10}`,
      `echo "${ORDERS} orders of the ${region}"`,
    ),
    prompt: `Write orders/${region}.csv: the header "order,product,amount" and 20 lines of made-up orders; the products are tea, coffee and cocoa, the order numbers 1 to 20. Do not commit: others work in this directory, too.`,
  }
}

function script(...lines: readonly string[]): string {
  return `${['set -eu', ...lines].join('\n')}\n`
}
