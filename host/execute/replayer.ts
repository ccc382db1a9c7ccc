import { LockstepError } from '../base/error.ts'
import type { ChainParams } from '../chain-types/genesis.ts'
import type { Receipt } from '../chain-types/receipt.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'
import type { Transaction } from '../chain-types/transaction.ts'
import { decodeSigned } from '../chain-types/transaction-codec.ts'
import type { Executed } from '../engine/outcome.ts'
import type { TraceSink } from '../engine/trace-event.ts'
import type { BlockEngine } from './block.ts'
import { blockEnv } from './block-env.ts'
import type { EnginePool } from './engine-pool.ts'
import { type History, knownHeader } from './history.ts'
import { runUntil } from './run-until.ts'

export interface ReplayerOptions {
  readonly history: History
  readonly params: ChainParams
  readonly keccak256: Keccak256
  readonly engines: EnginePool<BlockEngine>
}

/** A transaction of a finished block, run again. */
export interface Replayed {
  readonly index: number
  readonly transaction: Transaction
  readonly outcome: Executed
}

/**
 * Runs the transactions of finished blocks again, from the state after the parent block. They use the
 * gas and fail as they did the first time; that is checked against their receipts.
 */
export class Replayer {
  readonly #options: ReplayerOptions

  constructor(options: ReplayerOptions) {
    this.#options = options
  }

  /**
   * Feeds the events of transaction `index` of block `height`, run on the state it ran on, to `sink`.
   * @throws NOT_FOUND, STATE_PRUNED, SERVER_BUSY, REQUEST_TIMEOUT; ENGINE_FAULT where the run differs
   * from the receipt.
   */
  async replay(
    height: number,
    index: number,
    sink: TraceSink,
    signal: AbortSignal,
  ): Promise<Executed> {
    const sinkFor = (at: number) => (at === index ? sink : undefined)
    for await (const replayed of this.replayBlock(height, sinkFor, signal, index + 1)) {
      if (replayed.index === index) return replayed.outcome
    }
    throw new LockstepError('NOT_FOUND', `block ${height} has no transaction ${index}`)
  }

  /**
   * Runs the first `count` transactions of a block (all by default), the events of each to the sink that
   * `sinkFor` gives; yields each when it is done. The engine is kept until the iteration ends. Throws
   * as `replay`.
   */
  async *replayBlock(
    height: number,
    sinkFor: (index: number) => TraceSink | undefined,
    signal: AbortSignal,
    count = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Replayed, void> {
    const { history, params, engines } = this.#options
    if (height === 0) throw new LockstepError('UNSUPPORTED', 'genesis is not traceable')
    const env = blockEnv(params, knownHeader(history, height))
    const transactions = this.#transactions(height)
    const view = history.view(height - 1)
    const lease = await engines.lease()
    try {
      const { engine } = lease
      engine.beginBlock(env)
      for (let index = 0; index < Math.min(count, transactions.length); index++) {
        const { transaction, receipt } = transactions[index] as ReceivedTransaction
        const trace = sinkFor(index)
        const run = engine.transact(transaction, trace === undefined ? {} : { trace })
        const outcome = await runUntil(run, view, signal)
        if (outcome.kind === 'rejected' || outcome.gasUsed !== receipt.gasUsed) {
          throw new LockstepError(
            'ENGINE_FAULT',
            `transaction ${index} of block ${height} used ${receipt.gasUsed} gas and now ` +
              (outcome.kind === 'rejected' ? `is refused: ${outcome.code}` : outcome.gasUsed),
          )
        }
        yield { index, transaction, outcome }
      }
    } finally {
      lease.release()
    }
  }

  #transactions(height: number): readonly ReceivedTransaction[] {
    const { history, keccak256 } = this.#options
    const block = history.block(height)
    const receipts = history.receipts(height)
    if (block === undefined || receipts === undefined) {
      throw new LockstepError('NOT_FOUND', `block #${height} not found`)
    }
    return block.transactions.map((raw, index) => {
      const receipt = receipts[index] as Receipt
      // The receipt names the sender: no signature is recovered a second time.
      return { transaction: { ...decodeSigned(raw, keccak256), from: receipt.from }, receipt }
    })
  }
}

interface ReceivedTransaction {
  readonly transaction: Transaction
  readonly receipt: Receipt
}
