import { connect, type Socket } from 'node:net'
import { quantile } from '../statistics.ts'

export interface LoadResult {
  readonly served: number
  readonly perSecond: number
  /** Milliseconds of the served requests. */
  readonly p50: number
  readonly p99: number
  /** Number of each other status; `none` means no response in time. */
  readonly refused: Readonly<Record<string, number>>
}

const SEPARATOR = Buffer.from('\r\n\r\n')

/** A keep-alive connection with one request in flight, cheap enough that the server is the bottleneck. */
class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #settle: { resolve(status: number): void; reject(error: Error): void } | undefined

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes))
    this.#socket.on('error', (error) => this.#settle?.reject(error))
    this.#socket.on('close', () => this.#settle?.reject(new Error('closed before its answer')))
  }

  ask(request: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
    const head = this.#received.indexOf(SEPARATOR)
    if (head < 0) return
    const text = this.#received.toString('latin1', 0, head)
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    if (length === undefined) {
      this.#settle?.reject(new Error(`the response has no Content-Length: ${text}`))
      return
    }
    const start = head + SEPARATOR.length
    const end = start + Number(length)
    if (this.#received.length < end) return
    this.#received = this.#received.subarray(end)
    const settle = this.#settle
    this.#settle = undefined
    settle?.resolve(Number(text.slice(9, 12)))
  }
}

/**
 * Sends each request once, at the given concurrency. Each connection sends its next request after a response.
 * @param limitMs milliseconds after which requests without a response count as refused
 */
export async function runLoad(
  port: number,
  requests: readonly Uint8Array[],
  concurrency: number,
  expected = 200,
  limitMs = 30_000,
): Promise<LoadResult> {
  const latencies: number[] = []
  const refused: Record<string, number> = {}
  const connections = Array.from({ length: concurrency }, () => new Connection(port))
  let next = 0
  let answered = 0
  const start = performance.now()
  let end = start
  const work = async (connection: Connection): Promise<void> => {
    for (let index = next++; index < requests.length; index = next++) {
      const at = performance.now()
      const status = await connection.ask(requests[index] as Uint8Array)
      end = performance.now()
      answered++
      if (status === expected) latencies.push(end - at)
      else refused[status] = (refused[status] ?? 0) + 1
    }
  }
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([Promise.allSettled(connections.map(work)), limit])
  clearTimeout(timer)
  next = requests.length
  for (const connection of connections) connection.close()
  if (answered < requests.length) refused.none = requests.length - answered
  const elapsed = Math.max(end - start, Number.EPSILON)
  return {
    served: latencies.length,
    perSecond: (latencies.length / elapsed) * 1000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    refused,
  }
}
