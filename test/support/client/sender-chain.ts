import type { Hex } from '../../../host/base/hex.ts'
import type {
  BroadcastAnswer,
  BroadcastKind,
} from '../../../host/client/transaction-sender/broadcast-answer.ts'
import type { SenderNode } from '../../../host/client/transaction-sender/sender-ports.ts'

/** A transaction of the account. Its bytes and its hash are a number. */
export interface ChainedTransaction {
  /** Undefined for a transaction of another process. */
  readonly id: string | undefined
  readonly nonce: number
  readonly fee: number
  readonly raw: Hex
}

/** What can go wrong with a broadcast. `taken` tells whether the pool has the transaction nevertheless. */
export interface BroadcastFault {
  readonly kind: Exclude<BroadcastKind, 'accepted' | 'known' | 'underpriced'>
  readonly isTaken: boolean
}

const answer = (kind: BroadcastKind): BroadcastAnswer => ({ kind, reason: `${kind}!` })

/** Pool and blocks of one account behind a node. Tests set the faults. */
export class SenderChain implements SenderNode<Hex> {
  readonly blocks: ChainedTransaction[][] = []
  readonly pool = new Map<number, ChainedTransaction>()
  /** All bytes that were broadcast. */
  readonly sent: ChainedTransaction[] = []
  fault: () => BroadcastFault | undefined = () => undefined
  /** Number of latest blocks that an answer about nonces does not know. */
  lag: () => number = () => 0
  /** Called with each broadcast transaction. */
  onSend: (transaction: ChainedTransaction) => void = () => {}
  /** Awaited before each answer. */
  pause: () => Promise<void> = async () => {}
  readonly #known = new Map<Hex, ChainedTransaction>()

  /** Makes the bytes of a transaction. */
  sign(id: string | undefined, nonce: number, fee: number): ChainedTransaction {
    const raw: Hex = `0x${(this.#known.size + 1).toString(16)}`
    const made = { id, nonce, fee, raw }
    this.#known.set(raw, made)
    return made
  }

  get executed(): ChainedTransaction[] {
    return this.blocks.flat()
  }

  /** Makes a block of executable transactions. */
  mine(room = 100): void {
    const block: ChainedTransaction[] = []
    for (let nonce = this.executed.length; block.length < room; nonce++) {
      const found = this.pool.get(nonce)
      if (found === undefined) break
      this.pool.delete(nonce)
      block.push(found)
    }
    this.blocks.push(block)
  }

  /** Removes the latest blocks. Their transactions return to the pool, or are lost. */
  reorganize(depth: number, isLost: boolean): void {
    const removed = this.blocks.splice(Math.max(0, this.blocks.length - depth)).flat()
    if (isLost) return
    for (const each of removed) this.pool.set(each.nonce, each)
  }

  async nonce(_: Hex, at: 'latest' | 'pending'): Promise<number> {
    await this.pause()
    let nonce = this.blocks.slice(0, Math.max(0, this.blocks.length - this.lag())).flat().length
    if (at === 'pending') while (this.pool.has(nonce)) nonce++
    return nonce
  }

  async send(raw: Hex): Promise<BroadcastAnswer> {
    const transaction = this.#known.get(raw)
    if (transaction === undefined) throw new Error('these bytes were never signed')
    this.sent.push(transaction)
    this.onSend(transaction)
    await this.pause()
    const fault = this.fault()
    if (fault?.isTaken === false) return answer(fault.kind)
    const result = this.#take(transaction)
    await this.pause()
    return answer(fault === undefined ? result : fault.kind)
  }

  async includedTransaction(hash: Hex): Promise<Hex | undefined> {
    await this.pause()
    return this.executed.find(({ raw }) => raw === hash)?.raw
  }

  async knows(hash: Hex): Promise<boolean> {
    await this.pause()
    return [...this.executed, ...this.pool.values()].some(({ raw }) => raw === hash)
  }

  #take(transaction: ChainedTransaction): BroadcastKind {
    const { nonce, raw, fee } = transaction
    if (nonce < this.executed.length) return 'nonce used'
    const before = this.pool.get(nonce)
    if (before?.raw === raw) return 'known'
    if (before !== undefined && fee * 10 < before.fee * 11) return 'underpriced'
    this.pool.set(nonce, transaction)
    return 'accepted'
  }
}
