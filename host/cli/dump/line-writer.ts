import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { LockstepError, messageOf } from '../../base/error.ts'

/** Characters per write. */
const PIECE = 64 * 1024

/**
 * Writes lines to a file or a pipe and waits for a full one, so memory stays bounded. If the reader exits, as `head`
 * does, `isWanted` turns false and nothing fails.
 */
export class LineWriter {
  readonly #stream: Writable
  readonly #isFile: boolean
  #piece = ''
  #isWanted = true
  #failure: unknown
  /** Resumes the writer that waits for room. */
  #onRoom: (() => void) | undefined

  static toFile(path: string): LineWriter {
    return new LineWriter(createWriteStream(path, { mode: 0o600 }), true)
  }

  static toStdout(): LineWriter {
    return new LineWriter(process.stdout, false)
  }

  private constructor(stream: Writable, isFile: boolean) {
    this.#stream = stream
    this.#isFile = isFile
    stream.on('error', (thrown: NodeJS.ErrnoException) => {
      this.#isWanted = false
      if (thrown.code !== 'EPIPE') this.#failure = thrown
    })
    for (const event of ['drain', 'close', 'error']) stream.on(event, () => this.#onRoom?.())
  }

  /** False after the reader has exited. */
  get isWanted(): boolean {
    return this.#isWanted
  }

  /** Appends a line. @returns a promise to await when the buffer is full */
  line(text: string): Promise<void> | undefined {
    this.#piece += `${text}\n`
    return this.#piece.length < PIECE ? undefined : this.#send()
  }

  /** Writes the rest. @throws INVALID_ARGUMENT if a file cannot be written */
  async end(): Promise<void> {
    await this.#send()
    if (this.#isFile && this.#isWanted) {
      this.#stream.end()
      await once(this.#stream, 'close')
    }
    if (this.#failure === undefined) return
    const { path } = this.#stream as { path?: unknown }
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `cannot write ${String(path ?? 'to stdout')}: ${messageOf(this.#failure)}`,
      {
        cause: this.#failure,
        hint: 'name a file in a writable folder with enough space',
      },
    )
  }

  async #send(): Promise<void> {
    const piece = this.#piece
    this.#piece = ''
    if (!this.#isWanted || piece.length === 0) return
    const isTaken = this.#stream.write(piece)
    await new Promise<void>((resolve) => {
      // The exit of the reader is reported in a later turn.
      if (isTaken) setImmediate(resolve)
      else this.#onRoom = resolve
    })
  }
}
