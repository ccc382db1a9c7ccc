import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CometStanding, rollBackComet } from '../../chain/consensus/cometbft/comet-rollback.ts'
import type { UnfinishedRollback } from '../home/unfinished-rollback.ts'
import type { HomeContext } from './home-snapshots.ts'
import type { RollbackBlocks } from './rollback-blocks.ts'
import type { RollbackListener } from './rollback-request.ts'

/**
 * The blocks of CometBFT, which its own command takes back by one at a time. Its state is always the one before its
 * newest block, so that this is executed again: that step changes nothing more when it is done twice, and says where
 * CometBFT stands, after a kill too.
 */
export class CometBlocks implements RollbackBlocks {
  readonly #context: HomeContext
  readonly #listener: Pick<RollbackListener, 'onStage' | 'onProgress'>
  /** Undefined where CometBFT is where an earlier call has brought it. */
  readonly #standing: CometStanding | undefined
  #height: number

  /**
   * @param unfinished the rollback that an earlier call has begun
   * @throws STATE_PRUNED where CometBFT has no earlier block, COMETBFT_FAILED
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
    standing: CometStanding | undefined,
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

  /** Its handshake takes an application without blocks for one that begins. */
  reaches(height: number): boolean {
    return height > 0
  }

  async rollBack(rollback: UnfinishedRollback): Promise<UnfinishedRollback> {
    const standing = this.#standing
    if (!rollback.hard || standing === undefined) return rollback
    // What it has written down of heights that are removed belongs to other blocks than those that come.
    const { comet } = this.#context.home.data
    rmSync(join(comet, 'data', 'cs.wal'), { recursive: true, force: true })
    // Killed behind the last block to remove, it has that of the target, and a state before it.
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

function stepBack({ home, config }: HomeContext, removesBlock: boolean): Promise<CometStanding> {
  const { cometbft: program } = config.consensus
  return rollBackComet({ program, root: home.data.comet, removesBlock })
}
