import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CometRollbackResult,
  rollBackComet,
} from '../../chain/consensus/cometbft/comet-rollback.ts'
import type { UnfinishedRollback } from '../home/unfinished-rollback.ts'
import type { HomeContext } from './home-snapshots.ts'
import type { RollbackBlocks } from './rollback-blocks.ts'
import type { RollbackListener } from './rollback-request.ts'

/**
 * CometBFT's blocks, which its own command rolls back one at a time. CometBFT's state is always one before its latest
 * block, which is executed again. The first step therefore only sets that state: it is idempotent, and reports
 * CometBFT's height even after a kill.
 */
export class CometBlocks implements RollbackBlocks {
  readonly #context: HomeContext
  readonly #listener: Pick<RollbackListener, 'onStage' | 'onProgress'>
  /** Undefined if an earlier call has already rolled CometBFT back. */
  readonly #standing: CometRollbackResult | undefined
  #height: number

  /**
   * @param unfinished a rollback begun by an earlier call
   * @throws STATE_PRUNED if CometBFT has no earlier block, COMETBFT_FAILED
   */
  static async open(
    context: HomeContext,
    unfinished: UnfinishedRollback | undefined,
    listener: Pick<RollbackListener, 'onStage' | 'onProgress'>,
  ): Promise<CometBlocks> {
    if (unfinished?.isCometBack === true) {
      return new CometBlocks(context, listener, undefined, unfinished.target)
    }
    const standing = await stepBack(context, false)
    return new CometBlocks(context, listener, standing, standing.height + 1)
  }

  private constructor(
    context: HomeContext,
    listener: Pick<RollbackListener, 'onStage' | 'onProgress'>,
    standing: CometRollbackResult | undefined,
    height: number,
  ) {
    this.#context = context
    this.#listener = listener
    this.#standing = standing
    this.#height = height
  }

  get height(): number {
    return this.#height
  }

  appHash(height: number): Uint8Array | undefined {
    return height === this.#standing?.height ? this.#standing.appHash : undefined
  }

  /** CometBFT's handshake treats an application at height 0 as new. */
  reaches(height: number): boolean {
    return height > 0
  }

  async rollBack(rollback: UnfinishedRollback): Promise<UnfinishedRollback> {
    const standing = this.#standing
    if (!rollback.hard || standing === undefined) return rollback
    // Its log of the removed heights does not match the blocks that replace them.
    const { comet } = this.#context.home.data
    rmSync(join(comet, 'data', 'cs.wal'), { recursive: true, force: true })
    // If killed after the last removal, CometBFT has the target's block and the state before it.
    const target = Math.min(rollback.target, standing.height)
    const total = this.#height - rollback.target
    if (total > 0) this.#listener.onStage({ label: 'Removing blocks', unit: 'blocks', total })
    for (let done = 0; done < total; done++) {
      this.#height = (await stepBack(this.#context, true)).height
      await this.#listener.onProgress(done + 1)
    }
    return { ...rollback, target, isCometBack: true }
  }

  async close(): Promise<void> {}
}

function stepBack(
  { home, config }: HomeContext,
  removesBlock: boolean,
): Promise<CometRollbackResult> {
  const { cometbft: program } = config.consensus
  return rollBackComet({ program, root: home.data.comet, removesBlock })
}
