import { EMPTY_BYTES } from '../../../base/bytes.ts'
import type { BlockHeader, Withdrawal } from '../../../evm/chain-types/block.ts'
import { encodeWithdrawal, listRoot } from '../../../evm/chain-types/ethereum-block.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import type { CandidateSource } from '../../../evm/execute/candidates.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import { mergeDiffs } from '../../../evm/state/merged-diff.ts'
import { retryWhenFetched } from '../../../evm/state/missing-state.ts'
import { runInRounds } from '../../../evm/state/run-in-rounds.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { type WrittenKeys, withAmended } from '../../../evm/state/written-keys.ts'
import type { BlockRecord, ExecutedBlock } from '../../../storage/store/codec/block-record.ts'
import type { NodeStorage } from '../../../storage/store/node-storage.ts'
import type { Storage } from '../../../storage/store/storage.ts'
import { BlockListeners, type HeadFeed, type RemovalListener } from '../../consensus/head-feed.ts'
import type { Mempool, PoolHead } from '../../consensus/mempool/mempool.ts'
import type { AmendmentMaking } from '../dev-chain.ts'
import type { DevJournal } from '../dev-journal.ts'
import type { BlockRemoval } from '../dev-memory.ts'
import { type MadeBlock, type MakingContext, makeForkBlock } from './fork-block.ts'

export interface ForkChainOptions extends MakingContext {
  readonly storage: NodeStorage
  /** Reads through `amended` include its amendments. */
  readonly journal: DevJournal
  readonly amended: Storage
  readonly mempool: Mempool
  /** Wraps the state that blocks execute on, to record what they read. */
  readonly watched?: ((view: StateView) => StateView) | undefined
  /** Called if a listener of the head feed threw. */
  readonly onListenerError: (error: unknown) => void
}

/** Header overrides of a block; an absent one follows the rules. */
export interface ForkHeader {
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly baseFee?: bigint | undefined
  readonly coinbase?: Uint8Array | undefined
  readonly prevRandao?: Uint8Array | undefined
  readonly gasLimit?: bigint | undefined
  readonly parentBeaconBlockRoot?: Uint8Array | undefined
  readonly withdrawals?: readonly Withdrawal[] | undefined
}

/** Default coinbase of blocks on a fork. */
const NOBODY = new Uint8Array(20)

/** The chain after a fork block. Its blocks are made locally by Ethereum's rules, without consensus. */
export class ForkChain implements HeadFeed {
  readonly #options: ForkChainOptions
  readonly #listeners: BlockListeners

  constructor(options: ForkChainOptions) {
    this.#options = options
    this.#listeners = new BlockListeners(options.onListenerError)
  }

  /** Stores the fork block, with amendments of its state, if the storage is empty. */
  async begin(executed: ExecutedBlock, amended: StateDiff): Promise<void> {
    const { storage } = this.#options
    if (storage.chain.latest < 0) await storage.append(recordOf(executed, amended))
    this.#advance(EMPTY_BYTES)
  }

  get head(): BlockHeader {
    const { chain } = this.#options.storage
    return knownHeader(chain, chain.latest)
  }

  get written(): WrittenKeys {
    const { storage, journal } = this.#options
    return withAmended(storage.state.written, journal.diffs(this.head.number))
  }

  onBlock(listener: (executed: ExecutedBlock) => void): () => void {
    return this.#listeners.onBlock(listener)
  }

  onRemoval(listener: RemovalListener): () => void {
    return this.#listeners.onRemoval(listener)
  }

  /** Base fee of the next block. */
  get nextBaseFee(): bigint {
    return this.#options.rules.nextBaseFee(this.head)
  }

  /**
   * Makes the next block from the pool's transactions or those of `source`. Resolves when it is durable and
   * announced.
   * @throws the error of fetching state, in which case nothing has changed
   */
  async make(header: ForkHeader, source?: () => CandidateSource): Promise<ExecutedBlock> {
    const { storage, amended, journal, mempool, watched } = this.#options
    const parent = this.head
    const state = amended.state.view(parent.number)
    const draft = this.#draft(parent, header)
    const candidates = source ?? (() => mempool.candidates(draft.baseFeePerGas))
    // The last round has assumed no values, so its result is the block.
    const made: MadeBlock = await runInRounds(watched?.(state) ?? state, (view) =>
      makeForkBlock(this.#options, view, draft, candidates(), header.withdrawals),
    )
    // The changes of the block include amendments of its parent's state.
    const amendments = journal.diffs(parent.number)
    const diff = amendments.length === 0 ? made.diff : mergeDiffs([...amendments, made.diff])
    await storage.append(recordOf(made.executed, diff))
    mempool.drop(made.hopeless)
    this.#advance(made.diff.accounts)
    this.#listeners.announce(made.executed)
    return made.executed
  }

  #draft(parent: BlockHeader, header: ForkHeader): BlockHeader {
    const { rules, hasher } = this.#options
    return rules.draft(parent, {
      number: parent.number + 1,
      // Blocks of a development chain may share a second.
      timestamp: Math.max(header.timestamp, parent.timestamp),
      gasLimit: header.gasLimit,
      coinbase: header.coinbase ?? NOBODY,
      prevRandao: header.prevRandao ?? hasher.keccak256(parent.hash),
      baseFee: header.baseFee ?? rules.nextBaseFee(parent),
      parentBeaconBlockRoot: header.parentBeaconBlockRoot,
      withdrawalsRoot: listRoot(hasher, (header.withdrawals ?? []).map(encodeWithdrawal)),
    })
  }

  /** Returns the number of amendments of the state of a height. */
  amendments(height: number): number {
    return this.#options.journal.diffs(height).length
  }

  /** Amends the state of the latest block. Reads include the change when this resolves. */
  async amend(make: AmendmentMaking): Promise<void> {
    const { amended, journal } = this.#options
    const { number } = this.head
    const diff = await retryWhenFetched(() => make(amended.state.view(number)))
    journal.amend(number, diff)
    await this.#reread()
  }

  /**
   * Removes the blocks above a height, and amendments of its state. Once the journal has recorded the removal, the
   * next start finishes it.
   */
  async cut(cut: BlockRemoval): Promise<void> {
    const { height } = cut
    const { storage, journal } = this.#options
    const isShorter = height < this.head.number
    const announce = isShorter ? this.#listeners.announceRemoval(height) : () => {}
    journal.beginRemoval(cut)
    if (isShorter) await storage.cut(height)
    journal.endRemoval()
    await this.#reread()
    announce()
  }

  #poolHead(): PoolHead {
    const { chain, state } = this.#options.amended
    return { height: chain.latest, baseFee: this.nextBaseFee, view: state.view(chain.latest) }
  }

  #advance(accountRows: Uint8Array): void {
    this.#options.mempool.advance(this.#poolHead(), accountRows)
  }

  async #reread(): Promise<void> {
    await retryWhenFetched(() => this.#options.mempool.resetHead(this.#poolHead()))
  }
}

function recordOf(executed: ExecutedBlock, evm: StateDiff): BlockRecord {
  const { number } = executed.block.header
  return { executed, changeset: { height: number, evm, legacy: [], modules: [] } }
}
