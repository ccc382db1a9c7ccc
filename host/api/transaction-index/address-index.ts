import { LockstepError, messageOf } from '../../base/error.ts'
import { startTimer, stopTimer } from '../../base/timer.ts'
import type { PermittedLag } from '../../chain/consensus/idle-timer.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { ChainRules } from '../../evm/execute/chain-rules.ts'
import type { History } from '../../evm/execute/history.ts'
import type { AddressRowPosition } from '../../storage/store/address/address-rows.ts'
import {
  type AddressRange,
  AddressStore,
  type AddressTransaction,
  type ContractCreation,
} from '../../storage/store/address/address-store.ts'
import type { ChainStore } from '../../storage/store/chain/chain-store.ts'
import type { StateStore } from '../../storage/store/state/state-store.ts'
import type { IndexWorkerClient } from './index-worker-client.ts'
import {
  FIRST_INDEXED,
  type IndexedBlock,
  IndexedTable,
  type IndexTableOptions,
} from './indexed-table.ts'

/** Blocks behind the chain from which a search does not wait, unless the index may lag further behind. */
const WAITED_BLOCKS = 64

/** Interval of progress reports in milliseconds. */
const REPORT_MS = 5_000

export interface IndexedHeights {
  /** Highest indexed height. */
  readonly height: number
  /** Latest height of the chain. */
  readonly latest: number
}

export interface AddressIndexOptions extends IndexTableOptions {
  readonly state: Pick<StateStore, 'evmWholeFrom'>
  readonly history: Pick<History, 'before'>
  readonly rules: Pick<ChainRules, 'envOf' | 'systemCallsOf'>
  readonly modules: EngineModules
  /**
   * Called every few seconds while the index catches up with the chain, for example when enabled late, and when it
   * has.
   */
  readonly onProgress: (heights: IndexedHeights) => void
}

interface Waiting extends Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'> {
  readonly height: number
}

/**
 * Finds transactions by participating address, including addresses called only from code, by sender and nonce, and by
 * created contract.
 */
export class AddressIndex extends IndexedTable<AddressStore> {
  readonly name = 'addresses'
  readonly #options: AddressIndexOptions
  readonly #waitedBlocks: number
  readonly #wake: () => void
  readonly #waiting = new Set<Waiting>()
  #isBehind = false
  #reportedAt = Number.NEGATIVE_INFINITY

  /** @param wake indexes the blocks that may lag behind */
  constructor(
    chain: ChainStore,
    worker: IndexWorkerClient,
    options: AddressIndexOptions,
    lag: PermittedLag | undefined,
    wake: () => void,
  ) {
    super((dir) => new AddressStore(dir), chain, worker, options)
    this.#options = options
    this.#waitedBlocks = Math.max(WAITED_BLOCKS, lag?.blocks ?? 0)
    this.#wake = wake
  }

  /** The state before the block is needed. */
  protected get first(): number {
    return Math.max(this.chain.earliest, this.#options.state.evmWholeFrom + 1, FIRST_INDEXED)
  }

  /** Lowest indexed height: below it, blocks or the states before them are pruned. -1 if there is none. */
  get earliest(): number {
    if (this.height < 0) return -1
    const earliest = Math.max(this.store.earliest, Math.min(this.chain.earliest, this.height))
    return earliest <= FIRST_INDEXED ? 0 : earliest
  }

  /**
   * Waits until a height is indexed; fails immediately if the index is far behind.
   * @throws SERVER_BUSY after so many milliseconds, with the indexed height; ENGINE_FAULT if indexing has stopped
   */
  async reach(height: number, milliseconds: number): Promise<void> {
    this.reconcile()
    if (height < FIRST_INDEXED || height <= this.height) return
    if (this.failure !== undefined) throw this.#stopped()
    if (height - this.height > this.#waitedBlocks) throw this.#tooFarBehind()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { height, resolve, reject }
    this.#waiting.add(waiting)
    const timer = startTimer(() => reject(this.#tooFarBehind()), milliseconds)
    this.#wake()
    await promise.finally(() => {
      stopTimer(timer)
      this.#waiting.delete(waiting)
    })
  }

  /** Returns the indexed transactions in which an address has one of the roles. */
  places(address: Uint8Array, roles: number, range: AddressRange): Iterable<AddressTransaction> {
    return this.store.places(address, roles, { ...range, to: Math.min(range.to, this.height) })
  }

  /** Returns the transaction with this sender and nonce. */
  byNonce(sender: Uint8Array, nonce: bigint): AddressRowPosition | undefined {
    return this.store.byNonce(sender, nonce, this.height)
  }

  /** Returns the latest creation of a contract. */
  creation(contract: Uint8Array): ContractCreation | undefined {
    return this.store.creation(contract, this.height)
  }

  override prepare(first: number): boolean {
    this.#report()
    return super.prepare(first)
  }

  override settle(first: number, last: IndexedBlock | undefined, error: unknown): void {
    super.settle(first, last, error)
    for (const one of this.#waiting) if (one.height <= this.height) one.resolve()
    this.#report()
  }

  override fail(error: unknown): void {
    super.fail(error)
    for (const { reject } of this.#waiting) reject(this.#stopped())
  }

  override close(): Promise<void> {
    for (const { reject } of this.#waiting) reject(this.#stopped())
    return super.close()
  }

  #report(): void {
    const { latest } = this.chain
    const isFar = latest - this.height > this.#waitedBlocks
    const isDue = isFar && performance.now() - this.#reportedAt >= REPORT_MS
    const isThere = this.#isBehind && this.height >= latest
    if (!isDue && !isThere) return
    this.#isBehind = !isThere
    this.#reportedAt = performance.now()
    this.#options.onProgress({ height: Math.max(this.height, 0), latest })
  }

  #tooFarBehind(): LockstepError {
    const { latest } = this.chain
    const { height } = this
    return new LockstepError(
      'SERVER_BUSY',
      `the address index is being built: it has block ${Math.max(height, 0)} of ${latest}`,
      { data: { indexed: height, latest }, hint: 'try again later: the log reports the progress' },
    )
  }

  #stopped(): LockstepError {
    const reason = this.failure === undefined ? 'the node stops' : messageOf(this.failure)
    return new LockstepError(
      'ENGINE_FAULT',
      `the address index has stopped at block ${this.height}: ${reason}`,
      { cause: this.failure, hint: 'restart the node; report the error if it recurs' },
    )
  }
}
