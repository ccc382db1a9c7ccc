import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../until.ts'

/** An honest client's observations of a node. */
export interface Watched {
  /** Milliseconds of each eth_blockNumber request. */
  readonly latencies: readonly number[]
  /** Milliseconds between two blocks, as the client observed them. */
  readonly gaps: readonly number[]
  readonly blocks: number
  readonly failures: number
  /** Peak memory of the node in bytes. */
  readonly peakBytes: number
}

/** Returns the resident memory of a process in bytes. Linux only. */
export function residentBytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) * 1024
}

/** An honest client that requests the height, as wallets do, on one persistent connection. */
export class FloodWatch {
  readonly #url: URL
  readonly #pid: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #latencies: number[] = []
  readonly #gaps: number[] = []
  #height = 0
  #heightSince = 0
  #first = 0
  #failures = 0
  #peakBytes = 0
  #isEnded = false
  #watching: Promise<void> | undefined

  constructor(url: string, pid: number) {
    this.#url = new URL(url)
    this.#pid = pid
  }

  start(): void {
    this.#watching = this.#watch()
  }

  /** Waits until the client has had so many responses. */
  async answers(count: number): Promise<void> {
    await until(() => this.#latencies.length >= count)
  }

  async stop(): Promise<Watched> {
    this.#isEnded = true
    await this.#watching
    this.#agent.destroy()
    // A gap that has not ended counts with its length so far.
    const last = performance.now() - this.#heightSince
    const longest = Math.max(0, ...this.#gaps)
    return {
      latencies: this.#latencies,
      gaps: last > longest ? [...this.#gaps, last] : this.#gaps,
      blocks: this.#height - this.#first,
      failures: this.#failures,
      peakBytes: this.#peakBytes,
    }
  }

  async #watch(): Promise<void> {
    while (!this.#isEnded) {
      const started = performance.now()
      const height = await this.#blockNumber().catch(() => undefined)
      const now = performance.now()
      if (height === undefined) this.#failures++
      else this.#see(height, now)
      this.#latencies.push(now - started)
      this.#peakBytes = Math.max(this.#peakBytes, residentBytes(this.#pid))
      await delay(10)
    }
  }

  #see(height: number, now: number): void {
    if (this.#heightSince === 0) this.#first = height
    if (height === this.#height) return
    // Two blocks observed at once share the time.
    if (this.#heightSince > 0) this.#gaps.push(now - this.#heightSince)
    this.#height = height
    this.#heightSince = now
  }

  #blockNumber(): Promise<number> {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    return new Promise((resolve, reject) => {
      const asked = request(
        this.#url,
        { method: 'POST', agent: this.#agent, headers, timeout: 60_000 },
        (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => {
            try {
              resolve(Number((JSON.parse(text) as { result: string }).result))
            } catch (error) {
              reject(error as Error)
            }
          })
          response.on('error', reject)
        },
      )
      asked.on('error', reject)
      asked.end(body)
    })
  }
}
