import { Agent, request } from 'node:http'

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

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

  close(): void {
    this.#agent.destroy()
  }

  #post(body: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      const sent = request(
        this.#url,
        { method: 'POST', agent: this.#agent, headers },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
