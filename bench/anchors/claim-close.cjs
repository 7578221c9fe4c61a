// The anchor of `claim-close`: what a claim and a close write, the row and its history row, one transaction each, on the
// same store with the same indexes and settings, by ids known beforehand, and nothing else.
const { DatabaseSync } = require('@photostructure/sqlite')

const db = new DatabaseSync(`${process.argv[2]}/fleet.db`, { timeout: 5000 })
db.exec('pragma synchronous = normal')
const ids = db
  .prepare('select id from task order by priority, created_at, seq')
  .all()
  .map((row) => row.id)

const begin = db.prepare('begin immediate')
const commit = db.prepare('commit')
const claim = db.prepare(
  `update task set status = 'in_progress', assignee = ?1, started_at = coalesce(started_at, ?2), updated_at = ?2,
     claim_token = claim_token + 1, lease_until = ?3 where id = ?4`,
)
const close = db.prepare(
  `update task set status = 'closed', lease_until = null, is_blocked = 0, updated_at = ?1, closed_at = ?1, close_reason = ?2 where id = ?3`,
)
const history = db.prepare('insert into history (task, at, actor, kind, changes) values (?, ?, ?, ?, ?)')

// Written once a second, as the queue does.
let latest = { second: 0, text: '' }
const time = (millis) => {
  const second = Math.floor(millis / 1000)
  if (second !== latest.second) latest = { second, text: `${new Date(millis).toISOString().slice(0, 19)}Z` }
  return latest.text
}

const start = process.hrtime.bigint()
let done = 0
for (const id of ids) {
  let now = Date.now()
  let at = time(now)
  begin.get()
  claim.run('worker', at, now + 60_000, id)
  history.get(id, at, 'worker', 'claimed', '{}')
  commit.get()
  now = Date.now()
  at = time(now)
  begin.get()
  done += Number(close.run(at, 'Closed', id).changes)
  history.get(id, at, 'worker', 'closed', '{}')
  commit.get()
}
console.log(JSON.stringify({ done, seconds: Number(process.hrtime.bigint() - start) / 1e9 }))
