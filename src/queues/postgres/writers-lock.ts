import { SERVER_NOW } from './moment.ts'

/**
 * Begins a transaction that may change the graph; only one runs at a time. The time is taken after the lock, so that a
 * later writer has a later time.
 */
export function beginWriting(schema: string): string {
  return `begin; with locked as materialized (
    select pg_advisory_xact_lock(hashtextextended('fleet writes ${schema}', 0)))
    select ${SERVER_NOW} as now from locked`
}
