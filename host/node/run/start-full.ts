import type { ConsensusBlockStore } from '../../chain/consensus/embedded/block-store.ts'
import { openFullNode } from '../../chain/consensus/embedded/full-node.ts'
import { closedPool } from '../../chain/consensus/mempool/closed-pool.ts'
import type { ConsensusOptions, EmbeddedConsensus } from './consensus.ts'
import { followChain, followedServers } from './follow-chain.ts'
import { haltPointOf } from './halt.ts'

const FULL_NODE = {
  message: 'this node makes no blocks and accepts no transactions',
  hint: 'send it to the node that has the key of the validator, or list that node in [follow] rpc-servers',
}

/** Follows the blocks of other nodes; without servers, serves the stored chain. */
export async function startFull(
  options: ConsensusOptions,
  blockStore: ConsensusBlockStore,
): Promise<EmbeddedConsensus> {
  const { config, genesis, logger, chain, stores, closers, onError, onHalted, upgrade } = options
  const servers = followedServers(config)
  if (servers.length > 0) {
    const ends = { halt: haltPointOf(config), onError, onHalted, upgrade }
    const followed = { servers, genesis, chain, blockStore, logger, ...ends }
    const { engine, pool } = await followChain(followed, closers)
    return { kind: 'embedded', engine, pool, blockStore, validator: undefined }
  }
  const { application } = chain
  const engine = await openFullNode({ application, genesis, blockStore, upgrade })
  closers.add(() => engine.stop())
  logger.warn('serving read-only: this full node has no servers to follow', {
    height: engine.height,
  })
  const pool = closedPool(stores.storage, FULL_NODE)
  return { kind: 'embedded', engine, blockStore, validator: undefined, pool }
}
