import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { requireStorables } from './storable.ts'

/** Prepared statements by their text, each prepared once. The caller states the type of the rows. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Returns the number of rows changed. @throws INVALID_ARGUMENT if a value would be read back differently */
  run(sql: string, ...values: SQLInputValue[]): number {
    requireStorables(values)
    return Number(this.statement(sql).run(...values).changes)
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.statement(sql).get(...values) as Row | undefined
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.statement(sql).all(...values) as Row[]
  }

  statement(sql: string): StatementSync {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}
