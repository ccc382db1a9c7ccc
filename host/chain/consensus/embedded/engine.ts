import { LockstepError, messageOf } from '../../../base/error.ts'
import { NO_HEADER_OVERRIDES } from '../../../evm/execute/header-overrides.ts'
import { type ConsensusEngine, IN_SYNC, type SyncStatus } from '../application.ts'
import { awaitedUpgrade, type UpgradeHalt } from '../upgrade-halt.ts'
import { BlockScheduler, type BlockSlot } from './block-scheduler.ts'
import { systemClock } from './clock.ts'
import { type BlockProducer, openProducer, type ProducerOptions } from './producer.ts'

export interface EmbeddedEngineOptions extends ProducerOptions {
  /** Block interval in milliseconds. */
  readonly blockTimeMs: number
  /** False to make a block only for transactions, plus one after the app hash has changed. */
  readonly createEmptyBlocks?: boolean
  /** If above 0, an empty block is made after this time even if empty blocks are disabled. */
  readonly createEmptyBlocksIntervalMs?: number
  /** Called once if a height fails; the chain is then halted. */
  readonly onError: (error: LockstepError) => void
}

/** Returns the error of a node that halts at a height. */
export function haltError(height: number, cause: unknown): LockstepError {
  return new LockstepError(
    cause instanceof LockstepError ? cause.code : 'CONSENSUS_FAILURE',
    `Consensus failure - height halted at ${height}: ${messageOf(cause)}`,
    cause instanceof LockstepError ? { cause, data: cause.data, hint: cause.hint } : { cause },
  )
}

/** Produces the blocks of a chain with one validator at the configured interval. */
class EmbeddedEngine implements ConsensusEngine {
  readonly #producer: BlockProducer
  readonly #upgrade: UpgradeHalt | undefined
  readonly #rhythm: BlockScheduler
  #transactionsPending = false

  constructor(options: EmbeddedEngineOptions, producer: BlockProducer) {
    this.#producer = producer
    this.#upgrade = options.upgrade
    const { clock = systemClock, blockTimeMs, createEmptyBlocks, onError } = options
    this.#rhythm = new BlockScheduler({
      clock,
      intervalMs: () => blockTimeMs,
      createEmptyBlocks,
      createEmptyBlocksIntervalMs: options.createEmptyBlocksIntervalMs,
      hasWork: async () => this.#transactionsPending || (await producer.owesAppHash()),
      isHalted: () => producer.isHalted,
      make: () => this.#make(),
      makeUntil: (beat) => this.#make(beat),
      onError: (cause) => onError(haltError(producer.nextHeight, cause)),
    })
  }

  get height(): number {
    return this.#producer.height
  }

  get decidedHeight(): number {
    return this.#producer.awaitsUpgrade ? this.#producer.nextHeight : this.#producer.height
  }

  get sync(): SyncStatus {
    if (this.#upgrade === undefined || !this.#producer.awaitsUpgrade) return IN_SYNC
    return { ...IN_SYNC, waitingFor: awaitedUpgrade(this.#upgrade) }
  }

  notifyTransactions(): void {
    if (this.#transactionsPending) return
    this.#transactionsPending = true
    this.#rhythm.wake()
  }

  async stop(): Promise<void> {
    await this.#rhythm.stop()
    await this.#producer.close()
  }

  async #make(beat?: BlockSlot): Promise<void> {
    this.#transactionsPending = false
    // A full block may have left transactions behind.
    const count = await this.#producer.make(beat?.time, NO_HEADER_OVERRIDES, beat?.reached)
    if (count > 0) this.#transactionsPending = true
  }
}

/**
 * Starts the consensus of a chain with one validator: replays blocks that the application lacks, finishes an
 * interrupted height, and then makes blocks until it is stopped.
 * @throws what `openProducer` throws
 */
export async function startEmbeddedEngine(
  options: EmbeddedEngineOptions,
): Promise<ConsensusEngine> {
  return new EmbeddedEngine(options, await openProducer(options))
}
