import { equalBytes } from '../../base/bytes.ts'
import type { Hex } from '../../base/hex.ts'
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts'
import { encodeTimeKey, type Sale } from './claim-codec.ts'
import { claimFailure } from './claim-failure.ts'
import type { ClaimSteps } from './claim-steps.ts'
import type { ClaimStore } from './claim-store.ts'
import type { ClaimKey, ClaimRecord, TokenUnit } from './claims.ts'
import { enterFolder } from './claims-folder.ts'
import { openStore } from './open-store.ts'

/** Filter for payments. An absent field matches all of them. */
export interface LedgerFilter {
  readonly resource?: string
  /** Lower case. */
  readonly payer?: Hex
  /** Claimed at this time or later, milliseconds since 1970. */
  readonly since?: number
  /** Claimed before this time. */
  readonly before?: number
  /** Oldest first; else newest first. */
  readonly isAscending?: boolean
}

/** Payments for one resource, token, payee and chain. Amounts are in the token's smallest unit. */
export type ResourceRevenue = Readonly<Sale>

const NO_KEY = new Uint8Array(0)
/** Latest time that the key encoding holds. */
const LAST_TIME = 2 ** 48 - 1
/** Rows read before yielding to the event loop: a millisecond or two. */
const PAGE_ROWS = 200

/** The payments of a store, readable while servers write to it. */
export interface Ledger {
  /** Yields claimed payments, whether paid or not; see `isPaid`. */
  payments(filter?: LedgerFilter): AsyncGenerator<ClaimRecord, void>
  /** Finds claims by transaction, or by the id of an authorization, on any chain. */
  find(id: Hex): ClaimRecord[] | Promise<ClaimRecord[]>
  /** Returns totals per sale. They are maintained with each claim, so the cost does not depend on their number. */
  revenue(): ResourceRevenue[] | Promise<ResourceRevenue[]>
  /** Returns how to display amounts of a token, if a server has recorded it before the last of the other calls. */
  unit(chainId: bigint, asset: Hex): TokenUnit | undefined
  /**
   * Records the transaction that refunded a payment.
   * @param raw the signed transaction, if it will be sent after this is on disk
   * @throws NOT_FOUND, REFUSED_ARGUMENT, STORE_FULL
   */
  refund(key: ClaimKey, txHash: Hex, raw?: Hex): ClaimRecord | Promise<ClaimRecord>
  /**
   * Records how a refund ended that was sent: after `failed` the payment may be refunded again.
   * @throws NOT_FOUND, REFUSED_ARGUMENT, STORE_FULL
   */
  endRefund(
    key: ClaimKey,
    txHash: Hex,
    end: 'included' | 'failed',
  ): ClaimRecord | Promise<ClaimRecord>
  close(): Promise<void>
}

/** The payments of a claims folder. */
export class FolderLedger implements Ledger {
  readonly #store: ClaimStore
  readonly #folder: string
  readonly #leave: () => void

  constructor(folder: string, store: ClaimStore, leave: () => void) {
    this.#folder = folder
    this.#store = store
    this.#leave = leave
  }

  async *payments(filter: LedgerFilter = {}): AsyncGenerator<ClaimRecord, void> {
    const { resource, payer, since = 0, before = LAST_TIME, isAscending = false } = filter
    // A bare time sorts below every claim of that time and is no key itself, so bounds may be inclusive or exclusive.
    const lower = encodeTimeKey(Math.min(since, LAST_TIME), NO_KEY)
    const upper = encodeTimeKey(Math.min(before, LAST_TIME), NO_KEY)
    const end = isAscending ? upper : lower
    let start: Uint8Array = isAscending ? lower : upper
    for (;;) {
      this.#store.refresh()
      const page = [...this.#store.records({ start, end, reverse: !isAscending, limit: PAGE_ROWS })]
      for (const [time, record] of page) {
        // The row that ended the last page.
        if (equalBytes(time, start)) continue
        if (resource !== undefined && record.resource !== resource) continue
        if (payer !== undefined && record.payer !== payer) continue
        yield record
      }
      const last = page.at(-1)
      if (last === undefined || equalBytes(last[0], start)) return
      start = last[0]
      await yieldToEventLoop()
    }
  }

  find(id: Hex): ClaimRecord[] {
    this.#store.refresh()
    const found = [...this.#store.settledBy(id)]
    const chains = new Set(this.revenue().map(({ chainId }) => chainId))
    for (const chainId of chains) {
      for (const kind of ['transfer', 'authorization'] as const) {
        const record = this.#store.find({ chainId, kind, id })
        if (record !== undefined) found.push(record)
      }
    }
    return found
  }

  revenue(): ResourceRevenue[] {
    this.#store.refresh()
    return [...this.#store.sales()]
  }

  unit(chainId: bigint, asset: Hex): TokenUnit | undefined {
    return this.#store.unit(chainId, asset)
  }

  refund(key: ClaimKey, txHash: Hex, raw?: Hex): ClaimRecord {
    return this.#write((steps) => steps.refund(key, txHash, Date.now(), raw))
  }

  endRefund(key: ClaimKey, txHash: Hex, end: 'included' | 'failed'): ClaimRecord {
    return this.#write((steps) => steps.endRefund(key, txHash, end))
  }

  #write(work: (steps: ClaimSteps) => ClaimRecord): ClaimRecord {
    try {
      return this.#store.write(work)
    } catch (thrown) {
      throw claimFailure(this.#folder, thrown)
    }
  }

  async close(): Promise<void> {
    await this.#store.close()
    this.#leave()
  }
}

/**
 * Opens the ledger of a claims folder. Servers may have the folder open.
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL, SERVER_BUSY
 */
export async function openLedger(folder: string): Promise<FolderLedger> {
  const { entry, opened } = await enterFolder(folder, (entered) => openStore(folder, entered))
  return new FolderLedger(folder, opened, entry.leave)
}
