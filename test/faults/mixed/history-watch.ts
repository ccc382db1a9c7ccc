import type { Hex } from 'viem'
import type { MixedRun } from './mixed-run.ts'

const TRACERS: readonly (readonly [name: string, options: object])[] = [
  ['steps', { enableMemory: true }],
  ['calls', { tracer: 'callTracer', tracerConfig: { withLog: true } }],
  ['changes', { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
]

/** Number of latest transactions that are checked completely after each kill. */
const NEWEST = 12

/** Reads receipts and traces of acknowledged transactions, and checks that a later read returns the same. */
export class HistoryWatch {
  readonly #run: MixedRun
  readonly #receipts = new Map<Hex, string>()
  readonly #traces = new Map<string, string>()
  /** Acknowledged transactions without a receipt so far. */
  readonly #open = new Set<Hex>()
  #seen = 0

  constructor(run: MixedRun) {
    this.#run = run
  }

  get counts(): { readonly receipts: number; readonly traces: number } {
    return { receipts: this.#receipts.size, traces: this.#traces.size }
  }

  async watch(): Promise<void> {
    while (this.#run.goesOn) {
      this.#note()
      const newest = [...this.#open].at(-1)
      if (newest !== undefined) await this.#receipt(newest)
      const mined = [...this.#receipts.keys()]
      if (mined.length === 0) await this.#run.pause()
      else await this.#trace(mined[this.#run.below(mined.length)] as Hex)
    }
  }

  /** Checks after a start that acknowledged transactions are known and earlier results are unchanged. */
  async check(): Promise<void> {
    this.#note()
    for (const hash of this.#open) {
      if ((await this.#run.result('eth_getTransactionByHash', [hash])) !== null) continue
      this.#run.faults.push(`${hash} was acknowledged, and is neither pending nor mined`)
    }
    for (const hash of [...this.#receipts.keys()].slice(-NEWEST)) await this.#receipt(hash)
    for (const key of [...this.#traces.keys()].slice(-NEWEST)) {
      const [hash, name] = key.split(' ') as [Hex, string]
      await this.#trace(hash, name)
    }
  }

  /** Waits for the receipt of each transaction, reads all again, and counts each in the blocks. */
  async conclude(): Promise<void> {
    this.#note()
    while (this.#open.size > 0) {
      for (const hash of this.#open) await this.#receipt(hash)
      await this.#run.pause()
    }
    for (const hash of this.#receipts.keys()) await this.#receipt(hash)
    for (const key of this.#traces.keys()) {
      const [hash, name] = key.split(' ') as [Hex, string]
      await this.#trace(hash, name)
    }
  }

  #note(): void {
    const { acknowledged } = this.#run
    for (const hash of [...acknowledged].slice(this.#seen)) this.#open.add(hash)
    this.#seen = acknowledged.size
  }

  async #receipt(hash: Hex): Promise<void> {
    // Read before the wait, during which another client may store it.
    const before = this.#receipts.get(hash)
    const receipt = await this.#run.result<object | null>('eth_getTransactionReceipt', [hash])
    if (receipt === null && before === undefined) return
    const text = JSON.stringify(receipt)
    if (before !== undefined && before !== text) {
      this.#run.faults.push(`the receipt of ${hash} was ${before}, and is ${text}`)
    }
    this.#receipts.set(hash, before ?? text)
    this.#open.delete(hash)
  }

  async #trace(hash: Hex, only?: string): Promise<void> {
    const [name, options] = (TRACERS.find(([tracer]) => tracer === only) ??
      TRACERS[this.#run.below(TRACERS.length)]) as (typeof TRACERS)[number]
    const key = `${hash} ${name}`
    const before = this.#traces.get(key)
    const params = [hash, options]
    const result = await this.#run.result('debug_traceTransaction', params, 'trace asked')
    const text = JSON.stringify(result)
    if (before !== undefined && before !== text) {
      this.#run.faults.push(`the trace ${key} was ${before}, and is ${text}`)
    }
    this.#traces.set(key, before ?? text)
  }
}
