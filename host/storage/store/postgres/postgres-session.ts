import type { Client } from 'pg'
import { LockstepError, messageOf } from '../../../base/error.ts'
import { Mutex } from '../../../base/mutex.ts'
import { postgresName } from '../../../base/postgres-url.ts'
import { postgresFailure, sqlState } from './postgres-failure.ts'
import { loadPostgres, type PostgresModule } from './postgres-module.ts'

const CONNECTING_MS = 10_000
/** Longer than the server's own limits, which leave the connection usable. */
const ANSWER_MS = 40_000
const ATTEMPTS = 20

/**
 * Begins a transaction. The limits also free the rows of a process that has been stopped. A commit must be on disk,
 * whatever the default of the database is.
 */
const BEGIN = `begin isolation level read committed;
set local statement_timeout = '30s';
set local lock_timeout = '20s';
set local idle_in_transaction_session_timeout = '30s';
select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`

export type PostgresRow = Readonly<Record<string, unknown>>

/** Runs one statement of a transaction. */
export type PostgresQuery = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly PostgresRow[]>

/** Thrown inside a transaction to run it again: another process has just changed the same rows. */
export class RowsChanged extends Error {}

/**
 * One connection to a database, which runs transactions one after another. It uses no state of the server's session,
 * so that it also works through a pool of connections, and connects again after it was lost.
 */
export class PostgresSession {
  /** The database, without user and password. */
  readonly name: string
  readonly #module: PostgresModule
  readonly #url: string
  readonly #mutex = new Mutex()
  #client: Client | undefined
  #isClosed = false

  private constructor(module: PostgresModule, url: string) {
    this.#module = module
    this.#url = url
    this.name = nameOf(url)
  }

  /** Returns a session that connects with its first transaction. @throws UNSUPPORTED, CONFIG_INVALID */
  static async of(url: string): Promise<PostgresSession> {
    return new PostgresSession(await loadPostgres(), url)
  }

  /**
   * Runs `work` as one transaction, which is on disk when this resolves. It may run several times, and must have no
   * effects outside the transaction. If the connection is lost during the commit, the transaction may have been
   * committed: the data of the error has `isCommitUnknown`.
   * @throws STORE_UNREACHABLE, STORE_DENIED, STORE_FULL, STORE_CORRUPTED, SERVER_BUSY
   */
  transaction<T>(work: (query: PostgresQuery) => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(work)
        } catch (thrown) {
          const isRace = thrown instanceof RowsChanged || /^40/.test(sqlState(thrown) ?? '')
          if (isRace && attempt < ATTEMPTS) continue
          if (thrown instanceof RowsChanged) {
            throw new LockstepError('SERVER_BUSY', `${this.name}: others change the same rows`)
          }
          throw postgresFailure(this.name, thrown)
        }
      }
    })
  }

  /** Closes after the transactions in progress. */
  close(): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      this.#isClosed = true
      const client = this.#client
      this.#client = undefined
      await client?.end().catch(() => {})
    })
  }

  async #attempt<T>(work: (query: PostgresQuery) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new LockstepError('SERVER_BUSY', `${this.name} is closed`)
    const client = this.#client ?? (await this.#connect())
    try {
      await client.query(BEGIN)
      const result = await work(
        async (text, values = []) => (await client.query(text, [...values])).rows,
      )
      const { command } = await this.#commit(client)
      // A server answers the commit of a failed transaction with ROLLBACK, and without an error
      if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`)
      return result
    } catch (thrown) {
      await this.#rollBack(client, thrown)
      throw thrown
    }
  }

  async #commit(client: Client): Promise<{ readonly command: string }> {
    try {
      return await client.query('commit')
    } catch (thrown) {
      if (sqlState(thrown) !== undefined) throw thrown
      const message = `${this.name}: the connection was lost during a commit: ${messageOf(thrown)}`
      throw new LockstepError('STORE_UNREACHABLE', message, { data: { isCommitUnknown: true } })
    }
  }

  /** Keeps the connection only if the server has answered and the transaction is undone. */
  async #rollBack(client: Client, thrown: unknown): Promise<void> {
    const hasAnswered =
      thrown instanceof RowsChanged ||
      (thrown instanceof LockstepError && thrown.data.isCommitUnknown !== true) ||
      sqlState(thrown) !== undefined
    if (hasAnswered) {
      try {
        await client.query('rollback')
        return
      } catch {
        // The connection is lost
      }
    }
    this.#drop(client)
  }

  async #connect(): Promise<Client> {
    const client = this.#newClient()
    // Without a listener the loss of an idle connection would end the process
    client.on('error', () => this.#drop(client))
    try {
      await client.connect()
    } catch (thrown) {
      this.#drop(client)
      throw thrown
    }
    this.#client = client
    return client
  }

  #newClient(): Client {
    try {
      return new this.#module.Client({
        connectionString: this.#url,
        application_name: 'lockstep',
        connectionTimeoutMillis: CONNECTING_MS,
        query_timeout: ANSWER_MS,
        keepAlive: true,
      })
    } catch {
      // Not as a cause: the error of the parser has the URL as a member
      throw new LockstepError(
        'CONFIG_INVALID',
        `the URL of ${this.name} has parameters that are not valid`,
      )
    }
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = undefined
    client.end().catch(() => {})
  }
}

/** @throws CONFIG_INVALID, which does not repeat the URL */
function nameOf(url: string): string {
  const name = postgresName(url)
  if (name !== undefined) return name
  throw new LockstepError('CONFIG_INVALID', 'the store is not the URL of a PostgreSQL database', {
    hint: 'write postgres://USER:PASSWORD@HOST:5432/DATABASE, with %-escapes in the password',
  })
}
