import { equalBytes } from '../../base/bytes.ts'
import type { Hex } from '../../base/hex.ts'
import { nextTurn } from '../../base/next-turn.ts'
import { encodeTimeKey, type Sale } from './claim-codec.ts'
import { claimFailure } from './claim-failure.ts'
import type { ClaimStore } from './claim-store.ts'
import type { ClaimKey, ClaimRecord, TokenUnit } from './claims.ts'
import { enterFolder } from './claims-folder.ts'
import { openStore } from './open-store.ts'

/** Which payments; all of them where nothing is said. */
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

/** What was paid for a resource, at one token, payee and chain. Amounts are in the token's smallest unit. */
export type ResourceRevenue = Readonly<Sale>

/** The payments of a folder, which servers may go on to write. */
export interface Ledger {
  /** Those that were claimed, paid or not: `isPaid` tells. */
  payments(filter?: LedgerFilter): AsyncGenerator<ClaimRecord, void>
  /** By transaction, or by the id of an authorization, on whichever chain. */
  find(id: Hex): ClaimRecord[]
  /** Kept with each claim: it costs the same whether there are ten of them or ten million. */
  revenue(): ResourceRevenue[]
  /** How amounts of a token are written, where a server has noted it. */
  unit(chainId: bigint, asset: Hex): TokenUnit | undefined
  /** Notes the transaction that paid a payment back. @throws NOT_FOUND, REFUSED_ARGUMENT, STORE_FULL */
  refund(key: ClaimKey, txHash: Hex): ClaimRecord
  close(): Promise<void>
}

const NO_KEY = new Uint8Array(0)
/** The end of times as their bytes hold them. */
const LAST_TIME = 2 ** 48 - 1
/** Rows that are read before others may go on: a millisecond or two. */
const PAGE_ROWS = 200

class FolderLedger implements Ledger {
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
    // A time alone lies below all claims of that time, and is none: it does not matter which bound is excluded.
    const lower = encodeTimeKey(Math.min(since, LAST_TIME), NO_KEY)
    const upper = encodeTimeKey(Math.min(before, LAST_TIME), NO_KEY)
    const end = isAscending ? upper : lower
    let start: Uint8Array = isAscending ? lower : upper
    for (;;) {
      this.#store.refresh()
      const page = [...this.#store.records({ start, end, reverse: !isAscending, limit: PAGE_ROWS })]
      for (const [time, record] of page) {
        // Where the last page ended.
        if (equalBytes(time, start)) continue
        if (resource !== undefined && record.resource !== resource) continue
        if (payer !== undefined && record.payer !== payer) continue
        yield record
      }
      const last = page.at(-1)
      if (last === undefined || equalBytes(last[0], start)) return
      start = last[0]
      await nextTurn()
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

  refund(key: ClaimKey, txHash: Hex): ClaimRecord {
    try {
      return this.#store.write((steps) => steps.refund(key, txHash, Date.now()))
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
 * Opens the ledger of a folder, also while servers have it open.
 * @throws STORE_CORRUPTED, STORE_DENIED, STORE_FULL, SERVER_BUSY
 */
export async function openLedger(folder: string): Promise<Ledger> {
  const { entry, opened } = await enterFolder(folder, (entered) => openStore(folder, entered))
  return new FolderLedger(folder, opened, entry.leave)
}
