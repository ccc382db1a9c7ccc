import type { Hex } from '../../base/hex.ts'
import { encodeTimeKey, type Sale } from './claim-codec.ts'
import { ClaimStore } from './claim-store.ts'
import type { ClaimKey, ClaimRecord } from './claims.ts'
import { databaseOf, enterFolder, FolderOwners } from './claims-folder.ts'

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
  payments(filter?: LedgerFilter): Generator<ClaimRecord, void>
  /** By transaction, or by the id of an authorization, on whichever chain. */
  find(id: Hex): ClaimRecord[]
  /** Kept with each claim: it costs the same whether there are ten of them or ten million. */
  revenue(): ResourceRevenue[]
  /** Notes the transaction that paid a payment back. @throws NOT_FOUND, REFUSED_ARGUMENT, STORE_FULL */
  refund(key: ClaimKey, txHash: Hex): ClaimRecord
  close(): Promise<void>
}

const NO_KEY = new Uint8Array(0)
/** The end of times as 6 bytes hold them. */
const LAST_TIME = 2 ** 48 - 1

class FolderLedger implements Ledger {
  readonly #store: ClaimStore
  readonly #leave: () => void

  constructor(store: ClaimStore, leave: () => void) {
    this.#store = store
    this.#leave = leave
  }

  *payments(filter: LedgerFilter = {}): Generator<ClaimRecord, void> {
    const { resource, payer, since = 0, before = LAST_TIME, isAscending = false } = filter
    this.#store.refresh()
    const first = encodeTimeKey(Math.min(since, LAST_TIME), NO_KEY)
    const end = encodeTimeKey(Math.min(before, LAST_TIME), NO_KEY)
    // A time alone lies below all claims of that time, and is none: it does not matter which bound is excluded.
    const range = isAscending ? { start: first, end } : { start: end, end: first, reverse: true }
    for (const record of this.#store.records(range)) {
      if (resource !== undefined && record.resource !== resource) continue
      if (payer !== undefined && record.payer !== payer) continue
      yield record
    }
  }

  find(id: Hex): ClaimRecord[] {
    this.#store.refresh()
    const found: ClaimRecord[] = []
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

  refund(key: ClaimKey, txHash: Hex): ClaimRecord {
    return this.#store.write((steps) => steps.refund(key, txHash, Date.now()))
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
  const { entry, opened } = await enterFolder(folder, async ({ own, isShared }) => {
    return new ClaimStore(databaseOf(folder), new FolderOwners(folder, own), isShared)
  })
  return new FolderLedger(opened, entry.leave)
}
