import type { ConsensusEngine } from '../application.ts'
import { chainOf } from './chain.ts'
import type { EmbeddedEngineOptions } from './engine.ts'
import { handshake } from './handshake.ts'
import { keepAppHash } from './tip.ts'

/**
 * Stands where the chain stands, in place of an engine, on a node without the validator's key: it replays
 * what the application has missed, signs nothing and makes nothing.
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
  const tip = await handshake(application, chainOf(genesis), blockStore)
  return {
    height: tip.height,
    notifyTransactions: () => {},
    stop: () => keepAppHash(blockStore, tip),
  }
}
