import { Agent, type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Length of a response, and its last bytes. */
export interface Drained {
  /** After decompression. */
  readonly bytes: number
  /** As received. */
  readonly wireBytes: number
  readonly tail: string
}

/** Bytes decompressed at a time. With the default of 16 KiB the client would be the bottleneck. */
const PIECE_BYTES = 256 * 1024

/** Content coding of a response. */
export type ContentCoding = 'identity' | 'gzip' | 'zstd'

function decoded(response: IncomingMessage): Readable {
  switch (response.headers['content-encoding']) {
    case 'gzip':
      return response.pipe(createGunzip({ chunkSize: PIECE_BYTES }))
    case 'zstd':
      return response.pipe(createZstdDecompress({ chunkSize: PIECE_BYTES }))
    default:
      return response
  }
}

/** Last bytes kept to check how a response ends. */
const TAIL = 256

/** Returns the body of a batch of calls of one method. */
export function batchBody(method: string, params: readonly unknown[][]): Uint8Array {
  const calls = params.map((args, id) => ({ jsonrpc: '2.0', id, method, params: args }))
  return Buffer.from(JSON.stringify(calls))
}

/** JSON-RPC over a fixed number of keep-alive connections, the same for every node. */
export class RpcClient {
  readonly #url: URL
  readonly #agent: Agent
  readonly #coding: ContentCoding

  constructor(url: string, connections: number, coding: ContentCoding = 'identity') {
    this.#url = new URL(url)
    this.#coding = coding
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** @throws Error with the first error's message. */
  async batch(method: string, params: readonly unknown[][]): Promise<unknown[]> {
    try {
      return await this.send(batchBody(method, params))
    } catch (error) {
      throw new Error(`${method}: ${(error as Error).message}`, { cause: error })
    }
  }

  /** Sends a prepared batch and returns its results. @throws Error with the first error's message. */
  async send(body: Uint8Array): Promise<unknown[]> {
    const answers = (await this.#post(body)) as Answer[]
    const failure = answers.find((answer) => answer.error !== undefined)?.error
    if (failure !== undefined) throw new Error(`${failure.message} (${failure.code})`)
    return answers.map((answer) => answer.result)
  }

  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const [result] = await this.batch(method, [params])
    return result
  }

  /** Sends one call and reads the response to its end, or to `limit` bytes. `onData` receives each piece. */
  drain(
    method: string,
    params: readonly unknown[],
    limit: number = Infinity,
    onData: (piece: Buffer) => void = () => {},
  ): Promise<Drained> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return new Promise((resolve, reject) => {
      this.#open(body, reject, (response) => {
        let bytes = 0
        let wireBytes = 0
        let last: Buffer = Buffer.alloc(0)
        const done = () => resolve({ bytes, wireBytes, tail: last.subarray(-TAIL).toString() })
        const content = decoded(response)
        if (content !== response) {
          response.on('data', (chunk: Buffer) => {
            wireBytes += chunk.length
          })
        }
        content.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (content === response) wireBytes = bytes
          last = chunk.length >= TAIL ? chunk : Buffer.concat([last, chunk]).subarray(-TAIL)
          onData(chunk)
          if (bytes < limit) return
          done()
          response.destroy()
        })
        content.on('error', reject)
        content.on('end', done)
      })
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(body: Uint8Array): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#open(body, reject, (response) => {
        const chunks: Buffer[] = []
        const content = decoded(response)
        content.on('data', (chunk: Buffer) => chunks.push(chunk))
        content.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
      })
    })
  }

  #open(
    body: string | Uint8Array,
    onError: (error: Error) => void,
    onResponse: (response: IncomingMessage) => void,
  ): void {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'accept-encoding': this.#coding,
    }
    const options = { method: 'POST', agent: this.#agent, headers }
    const sent = request(this.#url, options, (response) => {
      response.on('error', onError)
      onResponse(response)
    })
    sent.on('error', onError)
    sent.end(body)
  }
}
