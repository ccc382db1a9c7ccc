import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { messageOf } from '../../base/error.ts'
import type { ChildLog } from '../launch/start-contract.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { Deferred } from './deferred.ts'
import { encodeFrame, FrameReader } from './frame.ts'
import { type Answer, idOf, isPing, PING, readQuestion } from './message.ts'
import type { Signer } from './signer.ts'

/** Questions of one transaction: a commit costs the disk as much as some 30 of them cost the processor. */
const MOST_IN_BATCH = 128

/** A batch is cut off after so long: whoever asks whether the signer still works waits for one. */
const LONGEST_BATCH_MS = 100

/** Questions of one connection that wait; more are not read from its socket. */
const MOST_WAITING = 1_024

/** Answers that a connection does not take. */
const MOST_UNREAD_BYTES = 64 << 20

interface Waiting {
  readonly connection: Connection
  readonly message: unknown
  /** What ends a question whose work was done after an earlier transaction. */
  readonly end?: () => unknown
}

/** A connection of the API, and what came over it. */
class Connection {
  readonly #socket: Socket
  readonly #reader = new FrameReader()
  #waiting = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Messages of a piece; where it is garbage the connection ends, since nothing after it can be read. */
  read(piece: Buffer, log: ChildLog): unknown[] {
    try {
      const messages = this.#reader.push(piece)
      this.#waiting += messages.length
      if (this.#waiting > MOST_WAITING) this.#socket.pause()
      return messages
    } catch (error) {
      log.warn('a connection is closed: what came over it is no message', {
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
  /** Called where what was read of the database may not be what it holds. */
  readonly forget: () => void
  /** Called inside a transaction where another process may have written. */
  readonly catchUp: () => void
  /** Called inside a transaction now and then, to drop what nobody asks for any more. */
  readonly tidy: (now: number) => void
  /** Called after each commit. */
  readonly committed: () => void
  readonly log: ChildLog
}

/** How often what is old is dropped. */
const TIDY_MS = 60_000

/**
 * Answers questions over a Unix socket. All that wait are answered in one transaction, and no answer is sent before it
 * is on disk.
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

  /** @param path of the socket; one that an earlier process has left is replaced */
  async listen(path: string): Promise<void> {
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, () => resolve())
    })
    // Its group is that of its folder: the API's.
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
      // One that meets a defect undoes all that came with it: those are done again, each for itself.
      const answer = answers === undefined ? this.#inTransaction([waiting])?.[0] : answers[at]
      if (answer instanceof Deferred) this.#continue(waiting, answer)
      else waiting.connection.answer(answer ?? failedFrame(waiting.message))
    }
  }

  #continue(waiting: Waiting, { work }: Deferred): void {
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

  /** The answers to the first ones, as many as there is time for. Undefined if nothing was written. */
  #inTransaction(batch: readonly Waiting[]): (Buffer | Deferred)[] | undefined {
    const { database, forget, tidy, committed, log } = this.#options
    try {
      database.exec('BEGIN IMMEDIATE')
      this.#forgetChanged()
      const answers: (Buffer | Deferred)[] = []
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
        log.error('a request met a fault of the signer', { problem: messageOf(error) })
      }
      return undefined
    }
  }

  /** Commands write the database too while the signer runs. */
  #forgetChanged(): void {
    const version = this.#dataVersion.get()?.data_version
    if (version === this.#version) return
    const { forget, catchUp } = this.#options
    forget()
    catchUp()
    this.#version = version
  }

  #answer({ message, end }: Waiting): Buffer | Deferred {
    try {
      const question = readQuestion(message)
      const value = end === undefined ? this.#options.signer.answer(question) : end()
      return value instanceof Deferred ? value : encodeFrame({ id: question.id, value })
    } catch (error) {
      if (!(error instanceof WalletError)) throw error
      const { code, message: text, details } = error
      return encodeFrame({ id: idOf(message) ?? 0, error: { code, message: text, details } })
    }
  }
}

function failedFrame(message: unknown): Buffer {
  const { message: text, code, details } = new WalletError('internal_error')
  const answer: Answer = { id: idOf(message) ?? 0, error: { code, message: text, details } }
  return encodeFrame(answer)
}
