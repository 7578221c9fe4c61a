import { SERVER_NOW } from './moment.ts'

/**
 * Begins a transaction of whoever changes the graph of tasks: one at a time. The moment is taken after the lock, so that
 * who comes later has the later one.
 */
export function beginWriting(schema: string): string {
  return `begin; with locked as materialized (
    select pg_advisory_xact_lock(hashtextextended('fleet writes ${schema}', 0)))
    select ${SERVER_NOW} as now from locked`
}
