import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type Drained, RpcClient } from './rpc-client.ts'

const PIECE_BYTES = 256 * 1024

/** Serves prepared bytes by node:http on a thread of its own: the cost of transport alone. */
export class SocketFloor {
  readonly #thread: Worker
  readonly #port: number

  private constructor(thread: Worker, port: number) {
    this.#thread = thread
    this.#port = port
  }

  static async open(): Promise<SocketFloor> {
    const thread = new Worker(new URL(import.meta.url))
    const port = await new Promise<number>((resolve) => thread.once('message', resolve))
    return new SocketFloor(thread, port)
  }

  /** Reads that many bytes as the client of the benchmark reads a response. */
  async drain(bytes: number): Promise<Drained> {
    const client = new RpcClient(`http://127.0.0.1:${this.#port}/${bytes}`, 1)
    try {
      return await client.drain('', [])
    } finally {
      client.close()
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }
}

function serve(): void {
  const piece = Buffer.alloc(PIECE_BYTES, 'x')
  const server = createServer((request, response) => {
    request.resume()
    let left = Number(request.url?.slice(1))
    const write = () => {
      while (left > 0) {
        const part = piece.subarray(0, left)
        left -= part.length
        if (response.write(part)) continue
        response.once('drain', write)
        return
      }
      response.end()
    }
    write()
  })
  server.listen(0, '127.0.0.1', () => {
    parentPort?.postMessage((server.address() as AddressInfo).port)
  })
}

if (!isMainThread) serve()
