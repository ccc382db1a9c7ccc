import { type ConsensusEngine, IN_SYNC } from '../application.ts'
import { awaitedUpgrade, lastHeightOf } from '../upgrade-halt.ts'
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
  upgrade,
}: Pick<
  EmbeddedEngineOptions,
  'application' | 'genesis' | 'blockStore' | 'upgrade'
>): Promise<ConsensusEngine> {
  const chain = consensusChainOf(genesis)
  const tip = await handshake(application, chain, blockStore, lastHeightOf(upgrade))
  const isAwaited = upgrade !== undefined && blockStore.height >= upgrade.plan.height
  if (isAwaited) upgrade.onReached()
  return {
    height: tip.height,
    decidedHeight: isAwaited ? upgrade.plan.height : tip.height,
    sync: isAwaited ? { ...IN_SYNC, waitingFor: awaitedUpgrade(upgrade) } : IN_SYNC,
    notifyTransactions: () => {},
    stop: () => keepAppHash(blockStore, tip),
  }
}
