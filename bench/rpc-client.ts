import { Agent, type IncomingMessage, request } from 'node:http'

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** How long an answer was, and its last bytes. */
export interface Drained {
  readonly bytes: number
  readonly tail: string
}

/** Bytes of an answer that are kept to see how it ends. */
const TAIL = 256

/** JSON-RPC over a fixed number of keep-alive connections; the same for every node measured. */
export class RpcClient {
  readonly #url: URL
  readonly #agent: Agent

  constructor(url: string, connections: number) {
    this.#url = new URL(url)
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** @throws Error with the first error's text. */
  async batch(method: string, params: readonly unknown[][]): Promise<unknown[]> {
    const body = params.map((args, id) => ({ jsonrpc: '2.0', id, method, params: args }))
    const answers = (await this.#post(JSON.stringify(body))) as Answer[]
    const failure = answers.find((answer) => answer.error !== undefined)?.error
    if (failure !== undefined) throw new Error(`${method}: ${failure.message} (${failure.code})`)
    return answers.map((answer) => answer.result)
  }

  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const [result] = await this.batch(method, [params])
    return result
  }

  /** One call whose answer is read to its end, or to `limit` bytes, and thrown away. */
  drain(method: string, params: readonly unknown[], limit = Infinity): Promise<Drained> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return new Promise((resolve, reject) => {
      this.#open(body, reject, (response) => {
        let bytes = 0
        let last: Buffer = Buffer.alloc(0)
        const done = () => resolve({ bytes, tail: last.subarray(-TAIL).toString() })
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          last = chunk.length >= TAIL ? chunk : Buffer.concat([last, chunk]).subarray(-TAIL)
          if (bytes < limit) return
          done()
          response.destroy()
        })
        response.on('end', done)
      })
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  #post(body: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#open(body, reject, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
      })
    })
  }

  #open(
    body: string,
    onError: (error: Error) => void,
    onResponse: (response: IncomingMessage) => void,
  ): void {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
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
