import { LockstepError } from '../../base/error.ts'
import type { FeeMarket } from '../../evm/chain-types/genesis.ts'
import { baseFeeAfter } from '../../evm/execute/lockstep/base-fee.ts'
import { type WrittenKeys, withAmended } from '../../evm/state/written-keys.ts'
import type { ReversibleCommitter } from '../../storage/commit/committer.ts'
import type { NodeStorage } from '../../storage/store/node-storage.ts'
import type { Storage } from '../../storage/store/storage.ts'
import type { ConsensusBlockStore } from '../consensus/embedded/block-store.ts'
import type { BlockProducer } from '../consensus/embedded/producer.ts'
import { catchUp } from '../consensus/state-machine/catch-up.ts'
import type { EvmApplication } from '../consensus/state-machine/evm-application.ts'
import type { BlockMaker, BlockSettings } from './block-maker.ts'
import type { AmendmentMaking } from './dev-chain.ts'
import type { DevJournal } from './dev-journal.ts'
import type { BlockRemoval } from './dev-memory.ts'

export interface EmbeddedMakerOptions {
  readonly producer: BlockProducer
  readonly application: EvmApplication
  /** Without amendments. */
  readonly storage: NodeStorage
  /** With the journal's amendments in its state. */
  readonly amended: Storage
  readonly committer: ReversibleCommitter
  readonly blockStore: ConsensusBlockStore
  /** Undefined if genesis does not declare a development chain. */
  readonly journal: DevJournal | undefined
  readonly feeMarket: FeeMarket
}

/** Makes blocks by this chain's own rules. */
export class EmbeddedMaker implements BlockMaker {
  readonly fork = undefined
  readonly #options: EmbeddedMakerOptions

  constructor(options: EmbeddedMakerOptions) {
    this.#options = options
  }

  get height(): number {
    return this.#options.producer.height
  }

  /** The lowest height that the chain can return to: the first, or the lowest whose data is retained. */
  get earliest(): number {
    return this.#options.storage.lowestCut
  }

  get time(): bigint {
    return this.#options.producer.time
  }

  get isHalted(): boolean {
    return this.#options.producer.isHalted
  }

  get nextBaseFee(): bigint {
    const { storage, feeMarket } = this.#options
    return baseFeeAfter(storage.state, storage.chain.latest, feeMarket)
  }

  make({ time, ...settings }: BlockSettings): Promise<number> {
    return this.#options.producer.make(time, settings)
  }

  get written(): WrittenKeys {
    const { storage, journal } = this.#options
    return withAmended(storage.state.written, journal?.diffs(this.height) ?? [])
  }

  amendments(height: number): number {
    return this.#options.journal?.diffs(height).length ?? 0
  }

  async amend(make: AmendmentMaking): Promise<void> {
    const { application, amended, producer } = this.#options
    const journal = this.#journal()
    const { height } = producer
    const diff = await make(amended.state.view(height))
    journal.amend(height, diff)
    application.takeAmendment()
  }

  /**
   * Reverts the state commit first: after a crash it catches up from blocks that still exist. Once the journal has
   * recorded the removal, the next start finishes it.
   */
  async cut(cut: BlockRemoval): Promise<void> {
    const { height } = cut
    const { application, storage, committer, blockStore, producer } = this.#options
    const journal = this.#journal()
    if (height > producer.height) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `the chain cannot go back to height ${height}: it is at ${producer.height}`,
      )
    }
    const isShorter = height < producer.height
    if (isShorter) await committer.revert(height, storage.firstChangeset)
    const announce = isShorter ? application.announceRemoval(height) : () => {}
    journal.beginRemoval(cut)
    if (isShorter) {
      await storage.cut(height)
      blockStore.cut(height)
    }
    journal.endRemoval()
    if (isShorter) {
      await catchUp(storage, committer)
      application.rewind(committer.appHash)
      await producer.rewind()
    } else {
      application.takeAmendment()
    }
    announce()
  }

  /** @throws UNSUPPORTED */
  #journal(): DevJournal {
    const { journal } = this.#options
    if (journal !== undefined) return journal
    throw new LockstepError(
      'UNSUPPORTED',
      'genesis.json does not say "development": true: this chain cannot be changed by hand',
      { hint: 'start with --dev and a new --home' },
    )
  }

  async refork(): Promise<void> {
    throw new LockstepError('UNSUPPORTED', 'this chain is not a fork', {
      hint: 'fork when the node starts',
    })
  }
}
