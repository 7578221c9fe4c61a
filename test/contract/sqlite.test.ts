import { queueContract } from './queue.ts'
import { openSqlite } from './sqlite.ts'

queueContract('the SQLite queue', openSqlite)
