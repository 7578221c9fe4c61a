// The anchor of `claim-close-postgres`: what a claim and a close write, the row and its history row, one statement each,
// on the same tables with the same indexes, and nothing else: no deferrals, no spaced retries, no labels, no fencing.
const { readSync } = require('node:fs')
const pg = require('pg')

const [url, by] = process.argv.slice(2)
const NOW = `to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

const CLAIM = (claimable) => `
  with next as (
    select seq from task where ${claimable} order by priority, created_at, seq limit 1 for update skip locked
  ),
  claimed as (
    update task set status = 'in_progress', assignee = $1, started_at = ${NOW}, updated_at = ${NOW},
      claim_token = claim_token + 1, lease_until = extract(epoch from now()) * 1000 + 60000
    from next where task.seq = next.seq returning task.id
  ),
  noted as (insert into history (task, at, actor, kind, changes) select id, ${NOW}, $1, 'claimed', '{}' from claimed)
  select id from claimed`

const CLOSE = `
  with closed as (
    update task set status = 'closed', closed_at = ${NOW}, close_reason = 'Closed', updated_at = ${NOW},
      lease_until = null, assignee = '' where id = $2 returning id
  )
  insert into history (task, at, actor, kind, changes) select id, ${NOW}, $1, 'closed', '{}' from closed`

// As bench/clock.mjs: the clock that all workers share.
const now = () => Number(process.hrtime.bigint()) / 1e6

async function main() {
  const schema = new URL(url).searchParams.get('schema')
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  // The terms of the partial index, to the letter.
  const { rows } = await client.query(
    `select pg_get_expr(indpred, indrelid) as terms from pg_index where indexrelid = 'task_claimable'::regclass`,
  )
  const claim = CLAIM(rows[0].terms)
  process.stdout.write('ready\n')
  readSync(0, Buffer.alloc(16))
  const began = now()
  let ended = began
  const ids = []
  for (;;) {
    const claimed = await client.query({ name: 'claim', text: claim, values: [by] })
    if (claimed.rows.length === 0) break
    const { id } = claimed.rows[0]
    await client.query({ name: 'close', text: CLOSE, values: [by, id] })
    ids.push(id)
    ended = now()
  }
  await client.end()
  console.log(JSON.stringify({ ids, began, ended }))
}

main()
