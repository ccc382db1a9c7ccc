import type { Hex } from '../../../host/base/hex.ts'
import type {
  SenderAttempt,
  SenderEnd,
  SenderStore,
  WaitingTransaction,
} from '../../../host/client/transaction-sender/sender-ports.ts'

export interface DurableRow extends WaitingTransaction {
  isAccepted: boolean
  missed: number
  readonly attempts: SenderAttempt[]
  outcome: 'waiting' | 'included' | SenderEnd
}

/** Rows that outlive their sender, as those of a database do. */
export class DurableSenderStore implements SenderStore<Hex> {
  readonly rows = new Map<string, DurableRow>()
  /** Called when a nonce is used or free. */
  onNonce: (nonce: number, isUsed: boolean) => void = () => {}
  /** Awaited before each write. */
  pause: () => Promise<void> = async () => {}

  async add(id: string, nonce: number, attempt: SenderAttempt): Promise<void> {
    await this.pause()
    const row = this.rows.get(id)
    if (row !== undefined && row.nonce !== nonce) throw new Error(`${id} has a nonce already`)
    const base = { id, nonce, isAccepted: false, missed: 0, signedAt: 0 }
    if (row === undefined) {
      this.rows.set(id, { ...base, attempts: [attempt], outcome: 'waiting' })
    } else row.attempts.push(attempt)
  }

  async removeLast(id: string): Promise<void> {
    await this.pause()
    this.rows.get(id)?.attempts.pop()
  }

  waiting(limit: number): DurableRow[] {
    return [...this.rows.values()]
      .filter(({ outcome }) => outcome === 'waiting')
      .sort((a, b) => a.nonce - b.nonce)
      .slice(0, limit)
  }

  waitingAt(wanted: number): DurableRow[] {
    return this.waiting(Number.MAX_SAFE_INTEGER).filter(({ nonce }) => nonce === wanted)
  }

  attempts(id: string): readonly SenderAttempt[] {
    return this.rows.get(id)?.attempts ?? []
  }

  attemptsAt(wanted: number) {
    return [...this.rows.values()]
      .filter(({ nonce }) => nonce === wanted)
      .flatMap(({ id, attempts }) => attempts.map(({ hash }) => ({ id, hash })))
  }

  executedUpTo(): number {
    const included = [...this.rows.values()].filter(({ outcome }) => outcome === 'included')
    return Math.max(0, ...included.map(({ nonce }) => nonce + 1))
  }

  accepted(id: string): Promise<void> {
    return this.#write(id, (row) => {
      if (row.outcome === 'waiting') Object.assign(row, { isAccepted: true, missed: 0 })
    })
  }

  included(id: string): Promise<void> {
    return this.#write(id, (row) => {
      row.outcome = 'included'
    })
  }

  /** The block of a transaction has left the chain. */
  returned(id: string): Promise<void> {
    return this.#write(id, (row) => {
      if (row.outcome === 'included') Object.assign(row, { outcome: 'waiting', missed: 0 })
    })
  }

  missed(id: string, count: number): Promise<void> {
    return this.#write(id, (row) => {
      row.missed = count
    })
  }

  ended(id: string, end: SenderEnd): Promise<void> {
    return this.#write(id, (row) => {
      if (row.outcome === 'waiting') row.outcome = end
    })
  }

  async #write(id: string, change: (row: DurableRow) => void): Promise<void> {
    await this.pause()
    const row = this.rows.get(id)
    if (row === undefined) throw new Error(`no row ${id}`)
    change(row)
    this.onNonce(row.nonce, this.waitingAt(row.nonce).length > 0)
  }
}
