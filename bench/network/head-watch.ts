import { WebSocket } from 'ws'
import { until } from '../../test/support/until.ts'

/** A block as announced, and when. */
export interface SeenBlock {
  readonly height: number
  /** On this machine's monotonic clock, in milliseconds. */
  readonly seenAt: number
  readonly transactions: number
}

interface Head {
  readonly hash: string
  readonly number: string
}

interface Message {
  readonly id?: number
  readonly result?: { readonly transactions: readonly string[] } | null
  readonly params?: { readonly result: Head }
}

/** The blocks of a node as subscribers see them, over one WebSocket: head, then transactions. */
export class HeadWatch {
  readonly blocks: SeenBlock[] = []
  /** When the block of each transaction was announced. */
  readonly seenAt = new Map<string, number>()
  readonly #socket: WebSocket
  #next = 1
  readonly #asked = new Map<number, { readonly head: Head; readonly at: number }>()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.#take(JSON.parse(String(data)) as Message))
  }

  static async open(url: string): Promise<HeadWatch> {
    const socket = new WebSocket(url)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const watch = new HeadWatch(socket)
    watch.#send('eth_subscribe', ['newHeads'])
    await until(() => watch.blocks.length > 0)
    return watch
  }

  #send(method: string, params: readonly unknown[]): number {
    const id = this.#next++
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return id
  }

  #take({ id, result, params }: Message): void {
    const at = performance.now()
    if (params !== undefined) {
      const head = params.result
      this.#asked.set(this.#send('eth_getBlockByHash', [head.hash, false]), { head, at })
      return
    }
    const asked = id === undefined ? undefined : this.#asked.get(id)
    if (id === undefined || asked === undefined || !result) return
    this.#asked.delete(id)
    for (const hash of result.transactions) this.seenAt.set(hash, asked.at)
    const { number } = asked.head
    this.blocks.push({
      height: Number(number),
      seenAt: asked.at,
      transactions: result.transactions.length,
    })
  }

  close(): void {
    this.#socket.close()
  }
}
