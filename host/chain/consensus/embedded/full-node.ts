import { type ConsensusEngine, IN_SYNC } from '../application.ts'
import { consensusChainOf } from './chain.ts'
import type { EmbeddedEngineOptions } from './engine.ts'
import { handshake } from './handshake.ts'
import { keepAppHash } from './tip.ts'

/**
 * Replays the blocks that the application lacks on a node without the validator's key. Signs nothing and makes no
 * blocks.
 * @throws what the replay throws (APP_HASH_MISMATCH, CONSENSUS_FAILURE)
 */
export async function openFullNode({
  application,
  genesis,
  blockStore,
}: Pick<
  EmbeddedEngineOptions,
  'application' | 'genesis' | 'blockStore'
>): Promise<ConsensusEngine> {
  const tip = await handshake(application, consensusChainOf(genesis), blockStore)
  return {
    height: tip.height,
    sync: IN_SYNC,
    notifyTransactions: () => {},
    stop: () => keepAppHash(blockStore, tip),
  }
}
