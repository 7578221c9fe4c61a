import type { StatementSyncInstance } from '@photostructure/sqlite'

export type SqlValue = string | number | bigint | null | Uint8Array

export interface Statement<Row> {
  /** Read `changes` at once: it counts the connection's last statement. */
  run(...args: SqlValue[]): { readonly changes: number }
  get(...args: SqlValue[]): Row | undefined
  all(...args: SqlValue[]): Row[]
  iterate(...args: SqlValue[]): IterableIterator<Row>
}

type Values = readonly SqlValue[]

/**
 * A driver statement through the driver's fast paths: it returns a row of thirty columns as an array in a quarter of the
 * time of an object, and the result of its `run` costs six times the update itself. `changed` counts the rows of the
 * connection's last statement and runs only if a caller reads `changes`.
 */
export class PreparedStatement implements Statement<unknown> {
  readonly #statement: StatementSyncInstance
  readonly #count: { readonly changes: number }
  #names: readonly string[] | undefined

  constructor(statement: StatementSyncInstance, changed: StatementSyncInstance) {
    statement.setReturnArrays(true)
    this.#statement = statement
    this.#count = {
      get changes() {
        return (changed.get() as { changes: number }).changes
      },
    }
  }

  run(...args: SqlValue[]): { readonly changes: number } {
    this.#statement.get(...args)
    return this.#count
  }

  get(...args: SqlValue[]): unknown {
    const values = this.#statement.get(...args) as Values | undefined
    return values === undefined ? undefined : this.#row(values)
  }

  all(...args: SqlValue[]): unknown[] {
    return (this.#statement.all(...args) as Values[]).map((values) => this.#row(values))
  }

  *iterate(...args: SqlValue[]): IterableIterator<unknown> {
    for (const values of this.#statement.iterate(...args) as IterableIterator<Values>) yield this.#row(values)
  }

  #row(values: Values): Record<string, SqlValue> {
    this.#names ??= this.#statement.columns().map(({ name }) => name)
    const row: Record<string, SqlValue> = {}
    for (let i = 0; i < values.length; i++) row[this.#names[i] as string] = values[i] as SqlValue
    return row
  }
}
