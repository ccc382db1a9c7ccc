import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { messageOf } from '../../base/error.ts'
import type { ChildLog } from '../launch/start-contract.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { DeferredAnswer } from './deferred-answer.ts'
import { encodeFrame, SignerFrameReader } from './frame.ts'
import { idOf, isPing, PING, readQuestion, type SignerResponse } from './message.ts'
import type { Signer } from './signer.ts'

/** Requests per database transaction. A commit takes about as long as 30 requests. */
const MOST_IN_BATCH = 128

/** Time limit of a batch: liveness checks wait for it. */
const LONGEST_BATCH_MS = 100

/** Queued requests per connection. Above it, the socket is not read. */
const MOST_WAITING = 1_024

/** Unread responses of a connection. */
const MOST_UNREAD_BYTES = 64 << 20

interface Waiting {
  readonly connection: Connection
  readonly message: unknown
  /** Completes a request whose work ran after an earlier transaction. */
  readonly end?: () => unknown
}

/** A connection of the API, with its pending input. */
class Connection {
  readonly #socket: Socket
  readonly #reader = new SignerFrameReader()
  #waiting = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Returns the messages of a chunk. Closes the connection on garbage: the rest is unreadable. */
  read(piece: Buffer, log: ChildLog): unknown[] {
    try {
      const messages = this.#reader.push(piece)
      this.#waiting += messages.length
      if (this.#waiting > MOST_WAITING) this.#socket.pause()
      return messages
    } catch (error) {
      log.warn('a connection is closed: it sent an invalid message', {
        problem: messageOf(error),
      })
      this.#socket.destroy()
      return []
    }
  }

  answer(frame: Buffer): void {
    this.#waiting--
    if (this.#socket.destroyed) return
    if (this.#socket.isPaused() && this.#waiting < MOST_WAITING / 2) this.#socket.resume()
    this.#socket.write(frame)
    if (this.#socket.writableLength > MOST_UNREAD_BYTES) this.#socket.destroy()
  }

  close(): void {
    this.#socket.destroy()
  }
}

export interface SignerServerOptions {
  readonly signer: Signer
  readonly database: DatabaseSync
  /** Called when cached rows may differ from the database. */
  readonly forget: () => void
  /** Called within a transaction when another process may have written. */
  readonly catchUp: () => void
  /** Called within a transaction from time to time, to delete old rows. */
  readonly tidy: (now: number) => void
  /** Called after each commit. */
  readonly committed: () => void
  readonly log: ChildLog
}

/** Interval at which old rows are deleted. */
const TIDY_MS = 60_000

/**
 * Serves requests over a Unix socket. Answers all pending requests in one transaction, and sends responses only after
 * the commit.
 */
export class SignerServer {
  readonly #options: SignerServerOptions
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #dataVersion: StatementSync
  #queue: Waiting[] = []
  #scheduled = false
  #version: unknown
  #tidied = 0

  constructor(options: SignerServerOptions) {
    this.#options = options
    this.#dataVersion = options.database.prepare('PRAGMA data_version')
    this.#server = createServer((socket) => this.#accept(socket))
  }

  /** @param path of the socket; a file left by an earlier process is replaced */
  async listen(path: string): Promise<void> {
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, () => resolve())
    })
    // The socket inherits the group of its folder, which is the API's.
    chmodSync(path, 0o660)
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const connection of this.#connections) connection.close()
    await closed
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket)
    this.#connections.add(connection)
    socket.on('data', (piece: Buffer) => {
      for (const message of connection.read(piece, this.#options.log)) {
        if (isPing(message)) connection.answer(encodeFrame({ ...PING, value: null }))
        else this.#queue.push({ connection, message })
      }
      this.#schedule()
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#connections.delete(connection))
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#answerBatch()
      this.#schedule()
    })
  }

  #answerBatch(): void {
    const batch = this.#queue.splice(0, MOST_IN_BATCH)
    const answers = this.#inTransaction(batch)
    this.#queue.unshift(...batch.splice(answers?.length ?? batch.length))
    for (const [at, waiting] of batch.entries()) {
      // An internal error rolls back the whole batch: its requests are executed again, one by one.
      const answer = answers === undefined ? this.#inTransaction([waiting])?.[0] : answers[at]
      if (answer instanceof DeferredAnswer) this.#continue(waiting, answer)
      else waiting.connection.answer(answer ?? failedFrame(waiting.message))
    }
  }

  #continue(waiting: Waiting, { work }: DeferredAnswer): void {
    const put = (end: () => unknown) => {
      this.#queue.push({ ...waiting, end })
      this.#schedule()
    }
    work().then(put, (error) =>
      put(() => {
        throw error
      }),
    )
  }

  /**
   * Returns the responses to the first requests, as many as the time allows. Undefined if the transaction was rolled
   * back.
   */
  #inTransaction(batch: readonly Waiting[]): (Buffer | DeferredAnswer)[] | undefined {
    const { database, forget, tidy, committed, log } = this.#options
    try {
      database.exec('BEGIN IMMEDIATE')
      this.#forgetChanged()
      const answers: (Buffer | DeferredAnswer)[] = []
      const end = performance.now() + LONGEST_BATCH_MS
      for (const waiting of batch) {
        if (answers.length > 0 && performance.now() > end) break
        answers.push(this.#answer(waiting))
      }
      const now = Date.now()
      if (now - this.#tidied > TIDY_MS) {
        tidy(now)
        this.#tidied = now
      }
      database.exec('COMMIT')
      committed()
      return answers
    } catch (error) {
      forget()
      if (database.isTransaction) database.exec('ROLLBACK')
      if (batch.length === 1) {
        log.error('a request caused an internal error of the signer', { problem: messageOf(error) })
      }
      return undefined
    }
  }

  /** Commands also write to the database while the signer runs. */
  #forgetChanged(): void {
    const version = this.#dataVersion.get()?.data_version
    if (version === this.#version) return
    const { forget, catchUp } = this.#options
    forget()
    catchUp()
    this.#version = version
  }

  #answer({ message, end }: Waiting): Buffer | DeferredAnswer {
    try {
      const question = readQuestion(message)
      const value = end === undefined ? this.#options.signer.answer(question) : end()
      return value instanceof DeferredAnswer ? value : encodeFrame({ id: question.id, value })
    } catch (error) {
      if (!(error instanceof WalletError)) throw error
      const { code, message: text, details } = error
      return encodeFrame({ id: idOf(message) ?? 0, error: { code, message: text, details } })
    }
  }
}

function failedFrame(message: unknown): Buffer {
  const { message: text, code, details } = new WalletError('internal_error')
  const answer: SignerResponse = { id: idOf(message) ?? 0, error: { code, message: text, details } }
  return encodeFrame(answer)
}
